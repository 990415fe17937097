import { conditionText } from './conditions.js'
import type { ConditionFields, Subject } from './fields.js'
import { failed, progressing, READY, type Readiness } from './types.js'

export function deploymentReadiness(subject: Subject): Readiness {
  const { spec, status, conditions } = subject
  const progress = conditions.get('Progressing')
  if (progress?.reason === 'ProgressDeadlineExceeded') return failed(conditionText('Progressing', progress))
  const wanted = spec.number('replicas', 1)
  const updated = status.number('updatedReplicas', 0)
  const old = status.number('replicas', 0) - updated
  const unfinished =
    short(updated, wanted, 'updated') ??
    (old > 0 ? `${old} old replicas are pending termination` : undefined) ??
    short(status.number('availableReplicas', 0), wanted, 'available')
  return withReplicaFailure(subject, unfinished)
}

export function replicaSetReadiness(subject: Subject): Readiness {
  const { spec, status } = subject
  const wanted = spec.number('replicas', 1)
  const surplus = status.number('replicas', 0) - wanted
  const unfinished =
    short(status.number('availableReplicas', 0), wanted, 'available') ??
    (surplus > 0 ? `${surplus} surplus replicas are pending termination` : undefined)
  return withReplicaFailure(subject, unfinished)
}

export function statefulSetReadiness({ spec, status }: Subject): Readiness {
  const wanted = spec.number('replicas', 1)
  const strategy = spec.in('updateStrategy')
  const ready = short(status.number('readyReplicas', 0), wanted, 'ready')
  if (strategy.text('type') === 'OnDelete') return ready === undefined ? READY : progressing(ready)
  const partition = strategy.in('rollingUpdate').number('partition', 0)
  const isOneRevision = status.text('currentRevision') === status.text('updateRevision')
  const updated = isOneRevision ? wanted : status.number('updatedReplicas', 0)
  const surplus = status.number('replicas', 0) - wanted
  const unfinished =
    short(updated, Math.max(wanted - partition, 0), 'updated') ??
    ready ??
    (surplus > 0 ? `${surplus} surplus replicas are pending termination` : undefined)
  return unfinished === undefined ? READY : progressing(unfinished)
}

export function daemonSetReadiness({ spec, status }: Subject): Readiness {
  const wanted = status.number('desiredNumberScheduled', 0)
  const isOnDelete = spec.in('updateStrategy').text('type') === 'OnDelete'
  const updated = isOnDelete ? wanted : status.number('updatedNumberScheduled', 0)
  const unfinished =
    short(updated, wanted, 'updated', 'pods') ?? short(status.number('numberAvailable', 0), wanted, 'available', 'pods')
  return unfinished === undefined ? READY : progressing(unfinished)
}

function short(there: number, wanted: number, what: string, of = 'replicas'): string | undefined {
  return there < wanted ? `${there} of ${wanted} ${of} are ${what}` : undefined
}

/** Why replicas are missing, if the controller reports it. The controller retries: this is no failure. */
function withReplicaFailure({ conditions }: Subject, unfinished: string | undefined): Readiness {
  if (unfinished === undefined) return READY
  const failure: ConditionFields | undefined = conditions.get('ReplicaFailure')
  const why = failure?.status === 'True' ? failure.message : undefined
  return progressing(why === undefined ? unfinished : `${unfinished}: ${why}`)
}
