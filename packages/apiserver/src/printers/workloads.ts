import type { KubeObject } from '@orrery/kinds'
import { humanDuration } from '@orrery/kinds/values'
import type { Column } from '../kinds/resource.js'
import { AGE, column, count, flag, templateColumns, wide } from './column.js'
import { dig, integer, isConditionTrue, sizeOf, spec, status, text, textOr } from './fields.js'
import { labelsText, selectorText, selectorTextOrNone, since, yesNo } from './format.js'

const podTemplate = (object: KubeObject): unknown => dig(object, 'spec', 'template', 'spec')
const WIDE_TEMPLATE = templateColumns(podTemplate).map(wide)

const DESIRED = count('Desired', 'Desired number of pods.', (object) => integer(spec(object).replicas))
const CURRENT = count('Current', 'Current number of pods.', (object) => integer(status(object).replicas))
const READY = count('Ready', 'Number of ready pods.', (object) => integer(status(object).readyReplicas))
const READY_OF_DESIRED = column(
  'Ready',
  'Ready pods out of desired pods.',
  (object) => `${integer(status(object).readyReplicas)}/${integer(spec(object).replicas)}`,
)
const SELECTOR = wide(
  column('Selector', 'The selector of its pods.', (object) => selectorTextOrNone(spec(object).selector)),
)

export const DEPLOYMENT_COLUMNS: readonly Column[] = [
  READY_OF_DESIRED,
  column('Up-to-date', 'Number of pods with the current template.', (object) =>
    integer(status(object).updatedReplicas),
  ),
  column('Available', 'Number of available pods.', (object) => integer(status(object).availableReplicas)),
  AGE,
  ...WIDE_TEMPLATE,
  wide(column('Selector', 'The selector of its pods.', (object) => selectorText(spec(object).selector))),
]

export const REPLICA_SET_COLUMNS: readonly Column[] = [DESIRED, CURRENT, READY, AGE, ...WIDE_TEMPLATE, SELECTOR]

export const REPLICATION_CONTROLLER_COLUMNS: readonly Column[] = [
  DESIRED,
  CURRENT,
  READY,
  AGE,
  ...WIDE_TEMPLATE,
  wide(column('Selector', 'The selector of its pods.', (object) => labelsText(spec(object).selector))),
]

export const STATEFUL_SET_COLUMNS: readonly Column[] = [READY_OF_DESIRED, AGE, ...WIDE_TEMPLATE]

export const DAEMON_SET_COLUMNS: readonly Column[] = [
  count('Desired', 'Desired number of nodes.', (object) => integer(status(object).desiredNumberScheduled)),
  count('Current', 'Number of nodes with a pod.', (object) => integer(status(object).currentNumberScheduled)),
  count('Ready', 'Number of nodes with a ready pod.', (object) => integer(status(object).numberReady)),
  count('Up-to-date', 'Number of nodes with a pod of the current template.', (object) =>
    integer(status(object).updatedNumberScheduled),
  ),
  count('Available', 'Number of nodes with an available pod.', (object) => integer(status(object).numberAvailable)),
  column('Node Selector', 'The node selector.', (object) => labelsText(dig(podTemplate(object), 'nodeSelector'))),
  AGE,
  ...WIDE_TEMPLATE,
  SELECTOR,
]

export const JOB_COLUMNS: readonly Column[] = [
  column('Status', 'The state of the job.', jobStatus),
  column('Completions', 'Succeeded pods out of completions.', jobCompletions),
  column('Duration', 'How long the job has run, or took.', jobDuration),
  AGE,
  ...WIDE_TEMPLATE,
  SELECTOR,
]

export const CRON_JOB_COLUMNS: readonly Column[] = [
  column('Schedule', 'The schedule in cron format.', (object) => text(spec(object).schedule)),
  column('Timezone', 'Time zone of the schedule.', (object) => timeZone(object)),
  flag('Suspend', 'Whether the schedule is suspended.', (object) => yesNo(spec(object).suspend)),
  count('Active', 'Number of active jobs.', (object) => sizeOf(status(object).active)),
  column('Last Schedule', 'Time since the last scheduled job.', (object, now) => {
    const last = status(object).lastScheduleTime
    return typeof last === 'string' ? since(last, now) : '<none>'
  }),
  AGE,
  ...templateColumns((object) => dig(object, 'spec', 'jobTemplate', 'spec', 'template', 'spec')).map(wide),
  wide(
    column('Selector', 'The selector of its pods.', (object) =>
      selectorTextOrNone(dig(object, 'spec', 'jobTemplate', 'spec', 'selector')),
    ),
  ),
]

export const POD_TEMPLATE_COLUMNS: readonly Column[] = [
  ...templateColumns((object) => dig(object, 'template', 'spec')),
  column('Pod Labels', 'Labels of the template.', (object) =>
    labelsText(dig(object, 'template', 'metadata', 'labels')),
  ),
]

export const CONTROLLER_REVISION_COLUMNS: readonly Column[] = [
  column('Controller', 'The object of this revision.', (object) => {
    const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true)
    if (owner === undefined) return '<none>'
    const slash = owner.apiVersion.indexOf('/')
    const kind = slash < 0 ? owner.kind : `${owner.kind}.${owner.apiVersion.slice(0, slash)}`
    return `${kind.toLowerCase()}/${owner.name}`
  }),
  column('Revision', 'The revision number.', (object) => integer(object.revision)),
  AGE,
]

export const DISRUPTION_BUDGET_COLUMNS: readonly Column[] = [
  column('Min Available', 'Minimum number of available pods.', (object) => numberOrShare(spec(object).minAvailable)),
  column('Max Unavailable', 'Maximum number of unavailable pods.', (object) =>
    numberOrShare(spec(object).maxUnavailable),
  ),
  count('Allowed Disruptions', 'Number of pods that may be evicted now.', (object) =>
    integer(status(object).disruptionsAllowed),
  ),
  AGE,
]

const JOB_STATES = ['Complete', 'Failed', 'Terminating', 'Suspended', 'FailureTarget', 'SuccessCriteriaMet'] as const

function jobStatus(job: KubeObject): string {
  const { conditions } = status(job)
  const state = JOB_STATES.find((name) =>
    name === 'Terminating' ? job.metadata.deletionTimestamp !== undefined : isConditionTrue(conditions, name),
  )
  return state ?? 'Running'
}

function jobCompletions(job: KubeObject): string {
  const succeeded = integer(status(job).succeeded)
  const { completions, parallelism } = spec(job)
  if (typeof completions === 'number') return `${succeeded}/${completions}`
  return integer(parallelism) > 1 ? `${succeeded}/1 of ${integer(parallelism)}` : `${succeeded}/1`
}

function jobDuration(job: KubeObject, now: Date): string {
  const { startTime, completionTime } = status(job)
  if (typeof startTime !== 'string') return ''
  if (typeof completionTime !== 'string') return since(startTime, now)
  return humanDuration(Date.parse(completionTime) - Date.parse(startTime))
}

function timeZone(object: KubeObject): string {
  const zone = spec(object).timeZone
  return typeof zone === 'string' ? zone : '<none>'
}

function numberOrShare(value: unknown): string {
  return typeof value === 'number' ? `${value}` : textOr(value, 'N/A')
}
