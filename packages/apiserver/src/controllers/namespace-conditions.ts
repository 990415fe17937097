import type { NamespaceCondition } from '@orrery/kinds/core'
import { type Finding, setConditions } from '@orrery/kinds/values'

/** The remaining content of a namespace that is being deleted. */
export interface Remains {
  /** By `<resource>.<group>`. */
  readonly resources: ReadonlyMap<string, number>
  readonly finalizers: ReadonlyMap<string, number>
}

/** The conditions of a namespace that is being deleted without problems. */
const SETTLED: readonly Finding[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    status: 'False',
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    status: 'False',
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  {
    type: 'NamespaceDeletionContentFailure',
    status: 'False',
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
  {
    type: 'NamespaceContentRemaining',
    status: 'False',
    reason: 'ContentRemoved',
    message: 'All content successfully removed',
  },
  {
    type: 'NamespaceFinalizersRemaining',
    status: 'False',
    reason: 'ContentHasNoFinalizers',
    message: 'All content-preserving finalizers finished',
  },
]

/** Returns the conditions of a namespace; the given list if nothing changes. */
export function namespaceConditions(
  current: readonly NamespaceCondition[] | undefined,
  remains: Remains,
  failures: readonly Error[],
  now: Date,
): readonly NamespaceCondition[] {
  const findings = SETTLED.map((settled) => problemOf(settled.type, remains, failures) ?? settled)
  return setConditions(current, findings, now)
}

function problemOf(type: string, { resources, finalizers }: Remains, failures: readonly Error[]): Finding | undefined {
  switch (type) {
    case 'NamespaceContentRemaining': {
      if (resources.size === 0) return undefined
      const list = counted(resources, (name, count) => `${name} has ${count} resource instances`)
      return { type, status: 'True', reason: 'SomeResourcesRemain', message: `Some resources are remaining: ${list}` }
    }
    case 'NamespaceFinalizersRemaining': {
      if (finalizers.size === 0) return undefined
      const list = counted(finalizers, (name, count) => `${name} in ${count} resource instances`)
      const message = `Some content in the namespace has finalizers remaining: ${list}`
      return { type, status: 'True', reason: 'SomeFinalizersRemain', message }
    }
    case 'NamespaceDeletionContentFailure': {
      if (failures.length === 0) return undefined
      const list = failures.map(({ message }) => message).sort()
      const message = `Failed to delete all resource types, ${failures.length} remaining: ${list.join(', ')}`
      return { type, status: 'True', reason: 'ContentDeletionFailed', message }
    }
    default:
      return undefined
  }
}

function counted(counts: ReadonlyMap<string, number>, describe: (name: string, count: number) => string): string {
  return [...counts]
    .map(([name, count]) => describe(name, count))
    .sort()
    .join(', ')
}
