import type { JsonObject, KubeObject } from '@orrery/kinds'
import type { Case } from './testing.fixture.js'

/** A valid pod. */
export const POD: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', image: 'nginx' }] },
}

/** A valid pod template with its selector. */
export const TEMPLATE: JsonObject = {
  metadata: { labels: { app: 'x' } },
  spec: { containers: [{ name: 'c', image: 'nginx' }] },
}
export const SELECTOR: JsonObject = { matchLabels: { app: 'x' } }

/** A valid template of pods that complete. */
export const FINITE_TEMPLATE: JsonObject = {
  metadata: { labels: { app: 'x' } },
  spec: { containers: [{ name: 'c', image: 'nginx' }], restartPolicy: 'Never' },
}

/** Returns a workload of apps/v1 without the special fields of its kind. */
export function workload(kind: string, more: JsonObject = {}): KubeObject {
  const spec = { ...more, selector: SELECTOR, template: TEMPLATE }
  return { apiVersion: 'apps/v1', kind, metadata: { name: 'd' }, spec }
}

/** The message for a selector that does not match its template. */
export const STRANGERS =
  'spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`'

/** The errors of a workload whose selector does not match its template. */
export const WRONG_SELECTORS: readonly Case[] = [
  ['spec.selector', undefined, ['spec.selector: Required value', STRANGERS]],
  ['spec.selector.matchLabels.app', 'y', STRANGERS],
]
