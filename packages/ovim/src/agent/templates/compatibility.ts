import type { Node } from '@orrery/kinds/core'
import { compareQuantity, parseQuantity } from '@orrery/kinds/values'
import type { TemplateRecord } from '../../wire/index.js'
import type { VmSize } from '../vm/build.js'

/** What a cluster offers to machines. */
export interface ClusterOffer {
  readonly nodes: readonly Node[]
  readonly storageClasses: readonly string[]
}

/** Why machines of a template, or of this size, cannot run on a cluster; empty if they can. */
export function incompatibilities(template: TemplateRecord, size: VmSize, offer: ClusterOffer): string[] {
  const { requirements = {} } = template
  const problems: string[] = []
  const atLeast = (name: string, value: string | undefined, minimum: string | undefined) => {
    if (minimum === undefined || value === undefined || !isLess(value, minimum)) return
    problems.push(`${name} ${value} is less than the ${minimum} that the template needs`)
  }
  atLeast('cpu', size.cpu, requirements.min_cpu)
  atLeast('memory', size.memory, requirements.min_memory)
  atLeast('storage', size.storage, requirements.min_storage)
  const { storage_class: storageClass } = requirements
  if (storageClass !== undefined && !offer.storageClasses.includes(storageClass)) {
    problems.push(`the cluster has no StorageClass "${storageClass}"`)
  }
  problems.push(...nodeProblems(template, size, offer.nodes))
  return problems
}

/** A cluster without nodes is one whose nodes the agent may not see: then nothing is known about them. */
function nodeProblems({ requirements = {} }: TemplateRecord, size: VmSize, nodes: readonly Node[]): string[] {
  if (nodes.length === 0) return []
  const wanted = {
    ...requirements.node_labels,
    ...(requirements.architecture !== undefined && { 'kubernetes.io/arch': requirements.architecture }),
  }
  const fitting = nodes.filter(({ metadata }) => {
    return Object.entries(wanted).every(([key, value]) => metadata.labels?.[key] === value)
  })
  if (fitting.length === 0) {
    const labels = Object.entries(wanted).map(([key, value]) => `${key}=${value}`)
    return [`no node has the labels ${labels.join(', ')}`]
  }
  const isLargeEnough = ({ status }: Node) => {
    const { cpu, memory } = status?.allocatable ?? {}
    return !(cpu !== undefined && isLess(cpu, size.cpu)) && !(memory !== undefined && isLess(memory, size.memory))
  }
  return fitting.some(isLargeEnough) ? [] : [`no node has room for ${size.cpu} CPUs and ${size.memory} of memory`]
}

function isLess(value: string, minimum: string): boolean {
  return compareQuantity(parseQuantity(value), parseQuantity(minimum)) < 0
}
