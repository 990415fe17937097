import type { Pod, Service } from '@orrery/kinds'
import { jsonEqual } from '@orrery/kinds/values'
import { each, type Informer } from '@orrery/kube'
import type { Predicate, Wake } from '@orrery/kube/controller'
import { isFinished, isReady } from '../podstate.js'
import { isSelecting, selects } from './backends.js'

/** Wakes services for pods that they select or selected before. */
export function eachBackend(pods: Informer<Pod>, services: Informer<Service>): Wake {
  return each(
    pods,
    (pod) =>
      services
        .list(pod.metadata.namespace)
        .filter((service) => isSelecting(service) && selects(service, pod))
        .map(({ metadata }) => metadata),
    { when: backendChanged },
  )
}

/** Most status changes of a pod do not affect its endpoints. */
const backendChanged: Predicate<Pod> = ({ before, after }) =>
  before === undefined ||
  after === undefined ||
  isReady(before) !== isReady(after) ||
  isFinished(before) !== isFinished(after) ||
  before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
  before.spec.nodeName !== after.spec.nodeName ||
  !jsonEqual(before.status?.podIPs, after.status?.podIPs) ||
  !jsonEqual(before.metadata.labels, after.metadata.labels)
