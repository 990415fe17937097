import { conditionText, holds } from './conditions.js'
import type { Subject } from './fields.js'
import { failed, progressing, READY, type Readiness } from './types.js'

export function claimReadiness({ status }: Subject): Readiness {
  const phase = status.text('phase') ?? 'Pending'
  if (phase === 'Bound') return READY
  return phase === 'Lost' ? failed('the volume of the claim is lost') : progressing(`the claim is ${phase}`)
}

export function volumeReadiness({ status }: Subject): Readiness {
  const phase = status.text('phase') ?? 'Pending'
  if (phase === 'Failed') return failed(`the volume has failed: ${status.text('message') ?? 'no message'}`)
  return phase === 'Pending' ? progressing('the volume is Pending') : READY
}

export function serviceReadiness({ spec, status }: Subject): Readiness {
  if (spec.text('type') !== 'LoadBalancer') return READY
  const isReachable = status.in('loadBalancer').items('ingress').length > 0
  return isReachable ? READY : progressing('the load balancer has no address yet')
}

export function namespaceReadiness({ status }: Subject): Readiness {
  const phase = status.text('phase') ?? 'Active'
  return phase === 'Active' ? READY : progressing(`the namespace is ${phase}`)
}

export function definitionReadiness(subject: Subject): Readiness {
  const names = subject.conditions.get('NamesAccepted')
  if (names?.status === 'False') return failed(conditionText('NamesAccepted', names))
  if (holds(subject, 'Established')) return READY
  return progressing('the API server does not serve the resource yet')
}
