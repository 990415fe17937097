import type { ManifestResourceMeta, ManifestWork } from '@orrery/api'
import { isSealed } from '@orrery/kube/seal'
import type { Observation } from './observation.js'

/** Determines which manifests of a work are Secrets with sealed values. */
export function sealedIn(work: ManifestWork): (meta: ManifestResourceMeta) => boolean {
  const sealed = (work.spec?.workload?.manifests ?? []).filter(isSealed)
  if (sealed.length === 0) return () => false
  const names = new Set(sealed.map(({ metadata }) => nameOf(metadata ?? {})))
  return (meta) => (meta.group ?? '') === '' && meta.resource === 'secrets' && names.has(nameOf(meta))
}

/** An observation of a Secret without its values: feedback and rules would report the sealed values to the hub. */
export function withoutValues(observation: Observation): Observation {
  if (observation.state !== 'there') return observation
  const { data: _, ...object } = observation.object
  return { state: 'there', object }
}

function nameOf({ namespace = '', name = '' }: { namespace?: unknown; name?: unknown }): string {
  return JSON.stringify([namespace, name])
}
