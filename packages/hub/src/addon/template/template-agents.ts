import type { AgentAddon } from '@orrery/addon'
import { AddOnLifecycle, type ClusterManagementAddOn, LIFECYCLE_ANNOTATION } from '@orrery/api'
import type { Clock } from '@orrery/kube/clock'
import { supportsTemplates } from './desired-template.js'
import { type TemplateInformers, templateAgent } from './template-agent.js'

/** The add-ons with templates, by name. It follows the ClusterManagementAddOns: one appears when it supports templates. */
export class TemplateAgents implements ReadonlyMap<string, AgentAddon> {
  readonly #informers: TemplateInformers
  readonly #clock: Clock
  readonly #agents = new Map<string, AgentAddon>()

  constructor(informers: TemplateInformers, clock: Clock) {
    this.#informers = informers
    this.#clock = clock
  }

  get(name: string): AgentAddon | undefined {
    const managementAddon = this.#informers.managementAddons.get({ name })
    if (managementAddon === undefined || !isTemplated(managementAddon)) {
      this.#agents.delete(name)
      return undefined
    }
    const agent = this.#agents.get(name) ?? templateAgent(name, this.#informers, this.#clock)
    this.#agents.set(name, agent)
    return agent
  }

  has(name: string): boolean {
    return this.get(name) !== undefined
  }

  get size(): number {
    return [...this.keys()].length
  }

  *keys(): MapIterator<string> {
    for (const { metadata } of this.#informers.managementAddons.list()) if (this.has(metadata.name)) yield metadata.name
  }

  *values(): MapIterator<AgentAddon> {
    for (const [, agent] of this) yield agent
  }

  entries(): MapIterator<[string, AgentAddon]> {
    return this[Symbol.iterator]()
  }

  *[Symbol.iterator](): MapIterator<[string, AgentAddon]> {
    for (const name of this.keys()) {
      const agent = this.get(name)
      if (agent !== undefined) yield [name, agent]
    }
  }

  forEach(call: (value: AgentAddon, key: string, map: ReadonlyMap<string, AgentAddon>) => void): void {
    for (const [name, agent] of this) call(agent, name, this)
  }
}

/** An add-on that manages itself has a controller that deploys it. */
function isTemplated(managementAddon: ClusterManagementAddOn): boolean {
  const isItsOwn = managementAddon.metadata.annotations?.[LIFECYCLE_ANNOTATION] === AddOnLifecycle.Self
  return !isItsOwn && supportsTemplates(managementAddon)
}
