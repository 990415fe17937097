import type { JsonObject } from '@orrery/kinds'
import { fieldForbidden, fieldInvalid, fieldRequired, isObject } from '@orrery/kinds/values'
import { NAME, nameOf, optional, type ReadReference, readFile, whenOf } from './parse-parts.js'
import type { Reader } from './reader.js'
import { type Discovery, PROPAGATION_POLICIES, type Resource, type ResourceTransport } from './task-config.js'

const RESOURCE_NAME = /^[a-z][a-zA-Z0-9_]*$/

/** @param clients Without Maestro, resources go to the Kubernetes API. */
export function parseResource(item: Reader, read: ReadReference, clients: { readonly hasMaestro: boolean }): Resource {
  const lifecycle = item.object('lifecycle')
  const [create, remove] = [lifecycle?.object('create'), lifecycle?.object('delete')]
  const discovery = parseDiscovery(item)
  const deleteWhen = whenOf(remove)
  if (deleteWhen !== undefined && discovery === undefined) {
    item.errors.push(fieldRequired(item.at('discovery'), 'lifecycle.delete finds the object with it'))
  }
  const manifest = manifestOf(item, read)
  const resource: Resource = {
    name: nameOf(item, RESOURCE_NAME),
    transport: transportOf(item, manifest, clients),
    manifest,
    recreateOnChange: item.boolean('recreate_on_change'),
    propagationPolicy: remove?.choice('propagationPolicy', PROPAGATION_POLICIES) ?? 'Background',
    nestedDiscoveries: item.list('nested_discoveries', (nested) => ({
      name: nameOf(nested, NAME),
      discovery: parseDiscovery(nested) ?? missingDiscovery(nested),
    })),
    ...optional('discovery', discovery),
    ...optional('createWhen', whenOf(create)),
    ...optional('deleteWhen', deleteWhen),
  }
  for (const one of [create, remove, lifecycle]) one?.end()
  return resource
}

function parseDiscovery(item: Reader): Discovery | undefined {
  const discovery = item.object('discovery')
  if (discovery === undefined) return undefined
  const selectors = discovery.object('by_selectors')
  const labelSelector = selectors?.strings('label_selector')
  selectors?.end()
  const byName = discovery.string('by_name')
  const namespace = discovery.string('namespace')
  if ((byName === undefined) === (labelSelector === undefined || Object.keys(labelSelector).length === 0)) {
    discovery.errors.push(
      fieldInvalid(discovery.path, discovery.keys(), 'must have one of by_name, by_selectors.label_selector'),
    )
  }
  discovery.end()
  return {
    ...optional('namespace', namespace),
    ...optional('byName', byName),
    ...optional('labelSelector', labelSelector),
  }
}

function missingDiscovery(item: Reader): Discovery {
  item.errors.push(fieldRequired(item.at('discovery')))
  return {}
}

function transportOf(
  item: Reader,
  manifest: JsonObject | string,
  { hasMaestro }: { readonly hasMaestro: boolean },
): ResourceTransport {
  const path = item.at('transport')
  const transport = item.object('transport')
  const maestro = transport?.object('maestro')
  const isMaestroExpected = hasMaestro || maestro !== undefined
  const client =
    transport?.choice('client', ['maestro', 'kubernetes']) ?? (isMaestroExpected ? 'maestro' : 'kubernetes')
  const target = maestro?.string('target_cluster')
  maestro?.end()
  transport?.end()
  if (client === 'kubernetes') {
    if (maestro !== undefined) {
      item.errors.push(fieldForbidden(`${path}.maestro`, 'remove it, or set transport.client to maestro'))
    }
    return { client, ...typeOf(item, manifest) }
  }
  if (!hasMaestro) {
    item.errors.push(fieldInvalid(`${path}.client`, client, 'set clients.maestro in the adapter config'))
  }
  if (target === undefined || target === '') {
    const detail = 'set it to the name of the consumer, such as "{{ .placementCluster }}"'
    item.errors.push(fieldRequired(`${path}.maestro.target_cluster`, detail))
  }
  return { client, targetCluster: target ?? '' }
}

/** The type of a manifest, which objects are looked for with: the rest of it may be rendered only when it is applied. */
function typeOf(item: Reader, manifest: JsonObject | string): { apiVersion: string; kind: string } {
  const field = (key: 'apiVersion' | 'kind'): string => {
    const value = typeof manifest === 'string' ? lineOf(manifest, key) : manifest[key]
    if (typeof value === 'string' && value !== '') return value
    // A manifest that is missing altogether has been reported.
    if (manifest !== '') {
      const detail = typeof manifest === 'string' ? 'set it in a line that begins with it' : ''
      item.errors.push(fieldRequired(`${item.at('manifest')}.${key}`, detail))
    }
    return ''
  }
  return { apiVersion: field('apiVersion'), kind: field('kind') }
}

/** A template is not YAML before it is rendered, so its lines are all there is. */
function lineOf(manifest: string, key: string): string | undefined {
  const value = new RegExp(`^${key}:(.*)$`, 'm')
    .exec(manifest)?.[1]
    ?.replace(/\s#.*$/, '')
    .trim()
  return value?.replace(/^(["'])(.*)\1$/, '$2')
}

function manifestOf(item: Reader, read: ReadReference): JsonObject | string {
  const manifest = item.value('manifest')
  if (typeof manifest === 'string') return manifest
  if (!isObject(manifest)) {
    item.errors.push(fieldRequired(item.at('manifest'), 'set it to an object, a template of one, or ref'))
    return ''
  }
  const ref = manifest.ref
  return typeof ref === 'string' && Object.keys(manifest).length === 1
    ? readFile(item, 'manifest.ref', ref, read)
    : manifest
}
