import { type FeedbackRule, isIdentifiedBy, type ManifestWork, WorkCondition } from '@orrery/api'
import { findCondition, isConditionTrue } from '@orrery/kinds/values'
import type { Manifest, NewManifestConfig } from '../agent-addon.js'
import { groupOf, nameOf } from './manifests.js'

/** The state of the pre-delete hooks of a work. */
export type HookState =
  | { readonly state: 'completed' }
  /** `problem` says what they wait for, if it is known. */
  | { readonly state: 'running'; readonly problem?: string }
  /** A hook has failed. It runs again if its object is deleted on the cluster. */
  | { readonly state: 'failed'; readonly problem: string }

/** The names of the values that report a failed hook. Open Cluster Management's agents do not report failures of Jobs. */
const Feedback = { Failed: 'HookFailed', Reason: 'HookReason' } as const

const FAILED = '.status.conditions[?(@.type=="Failed")]'

const RULES: Readonly<Record<string, { readonly resource: string; readonly feedbackRules: readonly FeedbackRule[] }>> =
  {
    Job: {
      resource: 'jobs',
      feedbackRules: [
        { type: 'WellKnownStatus' },
        {
          type: 'JSONPaths',
          jsonPaths: [
            { name: Feedback.Failed, path: `${FAILED}.status` },
            { name: Feedback.Reason, path: `${FAILED}.reason` },
          ],
        },
      ],
    },
    Pod: {
      resource: 'pods',
      feedbackRules: [
        { type: 'WellKnownStatus' },
        // The reason of a pod that was evicted.
        { type: 'JSONPaths', jsonPaths: [{ name: Feedback.Reason, path: '.status.reason' }] },
      ],
    },
  }

/** The configs of a work with hooks, for the feedback that `hookStateOf` reads. */
export function hookConfigs(hooks: readonly Manifest[]): NewManifestConfig[] {
  return hooks.flatMap((hook) => {
    const rules = RULES[hook.kind]
    if (rules === undefined) return []
    const { name = '', namespace } = hook.metadata
    const resourceIdentifier = {
      group: groupOf(hook),
      resource: rules.resource,
      name,
      ...(namespace !== undefined && { namespace }),
    }
    return [{ resourceIdentifier, feedbackRules: rules.feedbackRules }]
  })
}

/** The state of hooks by the status of their work. All have to complete, and the work has to be available. */
export function hookStateOf(hooks: readonly Manifest[], work: ManifestWork | undefined): HookState {
  const conditions = work?.status?.conditions
  const states = hooks.map((hook) => stateOfHook(hook, work))
  const failed = states.find(({ state }) => state === 'failed')
  if (failed !== undefined) return failed
  const applied = findCondition(conditions, WorkCondition.Applied)
  if (applied?.status === 'False') return { state: 'running', problem: `The work is not applied: ${applied.message}` }
  const isDone =
    isConditionTrue(conditions, WorkCondition.Available) && states.every(({ state }) => state === 'completed')
  return { state: isDone ? 'completed' : 'running' }
}

function stateOfHook(hook: Manifest, work: ManifestWork | undefined): HookState {
  const [config] = hookConfigs([hook])
  const reported = work?.status?.resourceStatus?.manifests?.find(
    ({ resourceMeta }) => config !== undefined && isIdentifiedBy(resourceMeta, config.resourceIdentifier),
  )
  const feedbackOf = (name: string) =>
    reported?.statusFeedback?.values?.find((value) => value.name === name)?.fieldValue.string
  const hasFailed =
    hook.kind === 'Job'
      ? [Feedback.Failed, 'JobFailed'].some((name) => feedbackOf(name) === 'True')
      : feedbackOf('PodPhase') === 'Failed'
  if (hasFailed) {
    const reason = feedbackOf(Feedback.Reason)
    return { state: 'failed', problem: `${nameOf(hook)} has failed${reason === undefined ? '' : `: ${reason}`}` }
  }
  const isCompleted =
    hook.kind === 'Job' ? feedbackOf('JobComplete') === 'True' : feedbackOf('PodPhase') === 'Succeeded'
  return { state: isCompleted ? 'completed' : 'running' }
}
