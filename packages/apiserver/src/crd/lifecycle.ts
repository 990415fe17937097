import { type Finding, isConditionTrue, jsonEqual, setCondition, setConditions } from '@orrery/kinds/values'
import { type ApprovalState, approvalOf, isProtectedGroup } from './approval.js'
import { isCaBundle } from './check/conversion.js'
import { CLEANUP_FINALIZER } from './prepare.js'
import type { Crd, CrdNames, CrdStatus } from './types.js'

const APPROVAL: Record<ApprovalState, { status: 'True' | 'False'; reason: string }> = {
  Missing: { status: 'False', reason: 'MissingAnnotation' },
  Invalid: { status: 'False', reason: 'InvalidAnnotation' },
  Approved: { status: 'True', reason: 'ApprovedAnnotation' },
  Bypassed: { status: 'False', reason: 'UnapprovedAnnotation' },
}

/**
 * Returns the status that a definition should have among all definitions, or undefined if it already has it (the naming
 * and establishing controllers).
 *
 * | NamesAccepted | Established                | the resource            |
 * |---------------|----------------------------|-------------------------|
 * | False         | False `NotAccepted`        | is not served           |
 * | False         | True (once, and ever since)| is served, as accepted  |
 * | True          | False `InvalidCABundle`    | is not served           |
 * | True          | True                       | is served               |
 *
 * The first definition that has a name in `acceptedNames` keeps it within its group.
 */
export function nextCrdStatus(crd: Crd, all: Iterable<Crd>, now: Date): CrdStatus | undefined {
  const { names, accepted } = acceptNames(crd, all)
  const findings = [accepted]
  // Once established, a definition stays established: its objects are served under the names accepted then.
  if (!isServed(crd)) findings.push(establish(crd, accepted))
  const approval = approvalFinding(crd)
  if (approval !== undefined) findings.push(approval)
  const conditions = setConditions(crd.status?.conditions, findings, now)
  if (conditions === crd.status?.conditions && jsonEqual(names, crd.status.acceptedNames ?? {})) return undefined
  return { ...crd.status, acceptedNames: names, conditions }
}

/** Returns whether the resource of a definition is served. */
export function isServed(crd: Crd): boolean {
  return isConditionTrue(crd.status?.conditions, 'Established')
}

interface NameConflict {
  readonly reason: string
  readonly message: string
}

function acceptNames(crd: Crd, all: Iterable<Crd>): { names: CrdNames; accepted: Finding } {
  const wanted = crd.spec.names
  const held = crd.status?.acceptedNames ?? {}
  const taken = takenNames(crd, all)
  const names: CrdNames = { ...held }
  let conflict: NameConflict | undefined
  const take = (field: 'plural' | 'singular' | 'kind' | 'listKind', used: ReadonlySet<string>, reason: string) => {
    const name = wanted[field] ?? ''
    if (name !== (held[field] ?? '') && used.has(name)) conflict = { reason, message: inUse(name) }
    else names[field] = name
  }
  take('plural', taken.resources, 'PluralConflict')
  take('singular', taken.resources, 'SingularConflict')
  const lost = (wanted.shortNames ?? []).filter(
    (name) => !(held.shortNames ?? []).includes(name) && taken.resources.has(name),
  )
  if (lost.length === 0) setList(names, 'shortNames', wanted.shortNames)
  else conflict = { reason: 'ShortNamesConflict', message: aggregate(lost.map(inUse)) }
  take('kind', taken.kinds, 'KindConflict')
  take('listKind', taken.kinds, 'ListKindConflict')
  setList(names, 'categories', wanted.categories)
  const accepted: Finding = conflict
    ? { type: 'NamesAccepted', status: 'False', ...conflict }
    : { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
  return { names, accepted }
}

/**
 * Returns the names that other definitions of the group have; own names conflict only if they are for different things.
 */
function takenNames(crd: Crd, all: Iterable<Crd>): { resources: ReadonlySet<string>; kinds: ReadonlySet<string> } {
  const resources = new Set<string>()
  const kinds = new Set<string>()
  for (const other of all) {
    if (other.spec.group !== crd.spec.group) continue
    const held = (other.metadata.name === crd.metadata.name ? crd : other).status?.acceptedNames ?? {}
    for (const name of [held.plural, held.singular, ...(held.shortNames ?? [])]) if (name) resources.add(name)
    for (const name of [held.kind, held.listKind]) if (name) kinds.add(name)
  }
  return { resources, kinds }
}

function setList(names: CrdNames, field: 'shortNames' | 'categories', wanted: string[] | undefined): void {
  if (wanted && wanted.length > 0) names[field] = wanted
  else delete names[field]
}

function inUse(name: string): string {
  return `${JSON.stringify(name)} is already in use`
}

function aggregate(messages: readonly string[]): string {
  const unique = [...new Set(messages)]
  return unique.length === 1 ? (unique[0] as string) : `[${unique.join(', ')}]`
}

function establish(crd: Crd, accepted: Finding): Finding {
  if (accepted.status !== 'True') {
    return { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }
  }
  const bundle = crd.spec.conversion?.webhook?.clientConfig?.caBundle
  if (bundle && !isCaBundle(bundle)) {
    const message = 'The conversion webhook CABundle is invalid'
    return { type: 'Established', status: 'False', reason: 'InvalidCABundle', message }
  }
  const message = 'the initial names have been accepted'
  return { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message }
}

function approvalFinding(crd: Crd): Finding | undefined {
  if (!isProtectedGroup(crd.spec.group)) return undefined
  const { state, reason } = approvalOf(crd)
  const { status, reason: why } = APPROVAL[state]
  return { type: 'KubernetesAPIApprovalPolicyConformant', status, reason: why, message: reason }
}

/** The progress of the deletion of a definition. */
export type CleanupProgress =
  | { readonly step: 'deleting' }
  | { readonly step: 'failed'; readonly message: string }
  | { readonly step: 'waiting'; readonly message: string }
  | { readonly step: 'done' }
  | { readonly step: 'neverEstablished' }

/** Returns whether a definition waits for the deletion of its objects. */
export function needsCleanup(crd: Crd): boolean {
  const { deletionTimestamp, finalizers } = crd.metadata
  return deletionTimestamp !== undefined && (finalizers ?? []).includes(CLEANUP_FINALIZER)
}

/**
 * Returns the status of a definition that is being deleted. The finalizer is removed at `done` or `neverEstablished`.
 */
export function cleanupStatus(crd: Crd, progress: CleanupProgress, now: Date): CrdStatus {
  return { ...crd.status, conditions: setCondition(crd.status?.conditions, terminating(progress), now) }
}

function terminating(progress: CleanupProgress): Finding {
  const type = 'Terminating'
  switch (progress.step) {
    case 'deleting': {
      const message = 'CustomResource deletion is in progress'
      return { type, status: 'True', reason: 'InstanceDeletionInProgress', message }
    }
    case 'failed': {
      const message = `could not issue all deletes: ${progress.message}`
      return { type, status: 'True', reason: 'InstanceDeletionFailed', message }
    }
    case 'waiting': {
      const message = `could not confirm zero CustomResources remaining: ${progress.message}`
      return { type, status: 'True', reason: 'InstanceDeletionCheck', message }
    }
    case 'done':
      return { type, status: 'False', reason: 'InstanceDeletionCompleted', message: 'removed all instances' }
    case 'neverEstablished':
      return { type, status: 'False', reason: 'NeverEstablished', message: 'resource was never established' }
  }
}
