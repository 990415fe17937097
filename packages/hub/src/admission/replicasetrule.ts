import { ManifestWorkReplicaSet, WORK_GROUP } from '@orrery/api'
import { badRequest, forbidden, jsonEqual } from '@orrery/kube'
import { checkManifests } from './manifests.js'
import type { RuleSettings, ValidatingRule } from './rule.js'

/** What the works of a replica set may consist of. A hub that would make none of them says so. */
export function replicaSetRule({ features, manifestLimit }: RuleSettings): ValidatingRule {
  return {
    name: 'ManifestWorkReplicaSetValidating',
    kind: ManifestWorkReplicaSet,
    validate({ object, oldObject }) {
      const { metadata, spec } = object as unknown as ManifestWorkReplicaSet
      const before = oldObject as ManifestWorkReplicaSet | undefined
      if (before !== undefined && jsonEqual(spec, before.spec)) return
      if (!features.ManifestWorkReplicaSet) {
        const on = { group: WORK_GROUP, resource: ManifestWorkReplicaSet.plural }
        throw forbidden(on, metadata.name, 'ManifestWorkReplicaSet feature is disabled')
      }
      const manifests = spec?.manifestWorkTemplate?.workload?.manifests ?? []
      if (manifests.length === 0) throw badRequest('Workload manifests should not be empty')
      checkManifests(manifests, manifestLimit)
    },
  }
}
