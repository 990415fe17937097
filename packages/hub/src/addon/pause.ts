import type { ObjectRef } from '@orrery/kinds'
import type { AddOnInformers } from './addon-informers.js'

/** From this number of clusters on, changes on the clusters of an add-on are throttled. */
const LARGE_ADDON = 50
/** The pause for each cluster, in milliseconds: a quarter of a second for a thousand clusters, whose reconcile takes a millisecond or two. */
const PAUSE_PER_CLUSTER = 0.25

/** The time in which changes on the clusters of an add-on cause one reconcile: see `throttled`. */
export function pauseFor(informers: AddOnInformers): (definition: ObjectRef) => number {
  return ({ name }) => {
    const count = informers.onClusters(name).length
    return count < LARGE_ADDON ? 0 : count * PAUSE_PER_CLUSTER
  }
}
