import { findCondition, humanDuration } from '@orrery/kinds/values'
import type { OperationSummary } from '../kinds/operation-summary.js'
import type { VirtualMachineRequest } from '../kinds/virtual-machine-request.js'
import { type Explanation, isUnfinished } from './explanation.js'
import { adviceOnFailure, adviceOnRefusal, printableProblem } from './machine-advice.js'
import { type Zones, zoneProblem } from './zone-problem.js'

const PHASE_OF = { Running: 'running', Stopped: 'stopped', Paused: 'paused' } as const

/** Why a virtual machine is in its state, and what to do if it is not the requested one. */
export function explainMachine(request: VirtualMachineRequest, zones: Zones, now: Date): Explanation {
  const { spec, status = {}, metadata } = request
  const { phase = 'pending', operation } = status
  const away = awayOf(request, zones)
  if (metadata.deletionTimestamp !== undefined) return away ?? failureOf(request, now) ?? inProgress('is being deleted')
  const refusal = refusalOf(request)
  if (refusal !== undefined) return refusal
  if (isAsRequested(request)) {
    if (away !== undefined) return { ...away, text: `was ${phase} when its zone last reported: ${away.text}` }
    if (status.message === undefined) return { state: 'as-requested', text: `is ${phase}` }
    const advice = `Run \`orrery vm restart ${metadata.name}\` to apply the change.`
    return { state: 'as-requested', text: `is ${phase}: ${status.message}`, advice }
  }
  const blocked = away ?? waitingForVdc(request) ?? failureOf(request, now) ?? errorOf(request)
  if (blocked !== undefined) return blocked
  if (status.phase === undefined) {
    return {
      state: 'in-progress',
      text: 'is not handled yet',
      advice: 'If this stays, ask an administrator to check that the OVIM hub service runs.',
    }
  }
  if (isUnfinished(operation)) return inProgress(`is ${phase}: ${progressOf(operation)}`)
  return inProgress(`is ${phase}: ${status.message ?? `${spec.powerState} is requested`}`)
}

/** Whether a virtual machine is in the requested power state, and was restarted if that was requested. */
function isAsRequested({ spec, status, metadata }: VirtualMachineRequest): boolean {
  const isRestarted = spec.restartedAt === undefined || spec.restartedAt === status?.observedRestart
  const isSettled = !isUnfinished(status?.operation)
  return (
    metadata.deletionTimestamp === undefined &&
    status?.created === true &&
    status.phase === PHASE_OF[spec.powerState] &&
    isRestarted &&
    isSettled
  )
}

function inProgress(text: string): Explanation {
  return { state: 'in-progress', text }
}

function awayOf({ status }: VirtualMachineRequest, zones: Zones): Explanation | undefined {
  const problem = status?.zone === undefined ? undefined : zoneProblem(status.zone, zones)
  if (problem === undefined) return undefined
  const advice = `Operations wait until the zone is back: see \`orrery zone describe ${status?.zone}\`.`
  return { state: 'waiting', text: problem, advice }
}

/** A refusal of the latest specification. */
function refusalOf(request: VirtualMachineRequest): Explanation | undefined {
  const { status, metadata } = request
  const scheduled = findCondition(status?.conditions, 'Scheduled')
  if (scheduled?.status !== 'False' || status?.observedGeneration !== metadata.generation) return undefined
  const advice = adviceOnRefusal(scheduled.reason, request)
  return { state: 'refused', text: scheduled.message, ...(advice !== undefined && { advice }) }
}

function waitingForVdc({ status, spec }: VirtualMachineRequest): Explanation | undefined {
  const ready = findCondition(status?.conditions, 'Ready')
  if (ready?.reason !== 'VirtualDataCenterNotReady' || status?.created === true) return undefined
  const name = spec.vdc ?? status?.vdc
  const advice = name === undefined ? {} : { advice: `See \`orrery vdc describe ${name}\`.` }
  return { state: 'waiting', text: ready.message, ...advice }
}

/** The failure of the last operation, which the hub repeats. */
function failureOf(request: VirtualMachineRequest, now: Date): Explanation | undefined {
  const { operation, conditions } = request.status ?? {}
  const ready = findCondition(conditions, 'Ready')
  if (operation?.failures === undefined || ready?.reason !== 'OperationFailed') return undefined
  const wait = Date.parse(operation.retryAt ?? '') - now.getTime()
  const next = wait > 0 ? `repeated in ${humanDuration(wait)}` : 'repeated now'
  const text = `${ready.message} (${operation.failures} in a row, ${next})`
  return { state: 'failed', text, advice: adviceOnFailure(ready.message, request) }
}

function errorOf(request: VirtualMachineRequest): Explanation | undefined {
  const { phase, message } = request.status ?? {}
  if (phase !== 'error' && phase !== 'unknown') return undefined
  const { text, advice } = printableProblem(request) ?? { text: undefined, advice: undefined }
  const why = [text, message].filter((part) => part !== undefined).join(': ')
  return { state: 'failed', text: why || `is in the state ${phase}`, ...(advice !== undefined && { advice }) }
}

/** `VMCreate waits for the agent`. */
function progressOf({ type, phase }: OperationSummary): string {
  return phase === 'Pending' ? `${type} waits for the agent` : `${type} is being executed`
}
