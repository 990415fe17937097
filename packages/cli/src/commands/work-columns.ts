import { ManifestCondition, type ManifestStatus, type ManifestWork } from '@orrery/api'
import { findCondition, isConditionTrue } from '@orrery/kinds/values'

const MAX_VALUE = 64

/** The status of a condition. */
export const conditionStatus = (type: string) => (work: ManifestWork) =>
  findCondition(work.status?.conditions, type)?.status

/** `2/3`: the number of applied manifests of all manifests. */
export function appliedOfAll(work: ManifestWork): string {
  const applied = manifestsOf(work).filter(({ conditions }) => isConditionTrue(conditions, ManifestCondition.Applied))
  return `${applied.length}/${work.spec?.workload?.manifests?.length ?? 0}`
}

/** The feedback values, such as `web.ReadyReplicas=2`. */
export function feedbackText(work: ManifestWork): string {
  return manifestsOf(work)
    .flatMap(({ resourceMeta, statusFeedback }) =>
      (statusFeedback?.values ?? []).map(({ name, fieldValue }) => {
        const { integer, string, boolean, jsonRaw } = fieldValue
        return `${resourceMeta.name}.${name}=${shortened(String(integer ?? string ?? boolean ?? jsonRaw))}`
      }),
    )
    .join(' ')
}

function manifestsOf({ status }: ManifestWork): readonly ManifestStatus[] {
  return status?.resourceStatus?.manifests ?? []
}

/** Shortens long values, such as JSON documents. `-o json` prints them whole. */
function shortened(value: string): string {
  return value.length <= MAX_VALUE ? value : `${value.slice(0, MAX_VALUE - 1)}…`
}
