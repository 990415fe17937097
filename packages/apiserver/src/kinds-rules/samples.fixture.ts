import type { JsonObject, KubeObject } from '@orrery/kinds'
import type { Case } from './testing.fixture.js'

/** A sound pod. */
export const POD: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', image: 'nginx' }] },
}

/** A sound pod template, and the selector of what it makes. */
export const TEMPLATE: JsonObject = {
  metadata: { labels: { app: 'x' } },
  spec: { containers: [{ name: 'c', image: 'nginx' }] },
}
export const SELECTOR: JsonObject = { matchLabels: { app: 'x' } }

/** A sound template of pods that come to an end. */
export const FINITE_TEMPLATE: JsonObject = {
  metadata: { labels: { app: 'x' } },
  spec: { containers: [{ name: 'c', image: 'nginx' }], restartPolicy: 'Never' },
}

/** A workload of apps/v1, sound but for what its kind needs besides. */
export function workload(kind: string, more: JsonObject = {}): KubeObject {
  const spec = { ...more, selector: SELECTOR, template: TEMPLATE }
  return { apiVersion: 'apps/v1', kind, metadata: { name: 'd' }, spec }
}

/** What is said to a selector that does not find the pods of its own template. */
export const STRANGERS =
  'spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`'

/** What is said to a workload whose selector does not find its own pods. */
export const WRONG_SELECTORS: readonly Case[] = [
  ['spec.selector', undefined, ['spec.selector: Required value', STRANGERS]],
  ['spec.selector.matchLabels.app', 'y', STRANGERS],
]
