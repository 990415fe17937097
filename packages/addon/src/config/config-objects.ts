import type { AddOnConfigType, ConfigSpecHash } from '@orrery/api'
import type { ApiObject, Kind, KubeObject } from '@orrery/kinds'
import type { Informer, Informers } from '@orrery/kube'
import type { AgentAddon, ConfigKind } from '../agent-addon.js'

/** A type of configuration and the name of an object of it. */
export interface ConfigRef extends AddOnConfigType {
  readonly namespace?: string | undefined
  readonly name: string
}

/** A reference to a configuration with the object to use, if it is known. */
export interface DesiredConfigRef extends AddOnConfigType {
  readonly desiredConfig?: ConfigSpecHash
}

/** The configuration objects of add-ons, of kinds that are known by name only. */
export class ConfigObjects {
  readonly #informers: ReadonlyMap<string, Informer>

  constructor(informers: Informers, kinds: readonly ConfigKind[]) {
    this.#informers = new Map(kinds.map((kind) => [typeKey(kind), informers.of(kindOf(kind))]))
  }

  /** The informers, each with the type of its objects. */
  *[Symbol.iterator](): Generator<readonly [AddOnConfigType, Informer]> {
    for (const informer of this.#informers.values()) {
      const { group, plural: resource } = informer.kind
      yield [{ group, resource }, informer]
    }
  }

  get({ group, resource, namespace, name }: ConfigRef): ApiObject | undefined {
    return this.#informers.get(typeKey({ group, resource }))?.get({ namespace, name })
  }
}

/** All kinds of configuration of add-ons. */
export function configKinds(agents: Iterable<AgentAddon>): ConfigKind[] {
  const kinds = new Map<string, ConfigKind>()
  for (const { supportedConfigs = [] } of agents) {
    for (const kind of supportedConfigs) kinds.set(typeKey(kind), kind)
  }
  return [...kinds.values()]
}

/** Whether an add-on supports a type of configuration. */
export function supportsConfig({ supportedConfigs = [] }: AgentAddon, { group, resource }: AddOnConfigType): boolean {
  return supportedConfigs.some((kind) => kind.group === group && kind.resource === resource)
}

/** The object of a reference; undefined if none is desired. */
export function desiredObject({ group, resource, desiredConfig }: DesiredConfigRef): ConfigRef | undefined {
  if (desiredConfig === undefined || desiredConfig.name === '') return undefined
  const { namespace, name } = desiredConfig
  return { group, resource, name, ...(namespace !== undefined && namespace !== '' && { namespace }) }
}

/** The key of a configuration object in indexes. */
export function configKey({ group, resource, namespace = '', name }: ConfigRef): string {
  return `${group}/${resource}/${namespace}/${name}`
}

function typeKey({ group, resource }: AddOnConfigType): string {
  return `${group}/${resource}`
}

/** Only lists and watches of all namespaces are sent, which need neither the kind nor the scope. */
function kindOf({ group, version, resource }: ConfigKind): Kind<ApiObject, KubeObject> {
  return { group, version, plural: resource, kind: resource, scope: 'Namespaced' }
}
