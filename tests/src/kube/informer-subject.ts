import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import type { ApiObject } from '@orrery/kinds'
import type { Informer, KubeClient } from '@orrery/kube'
import type { FakeClock } from '@orrery/kube/testing'
import { eventually } from '@orrery/kube/testing'

export { Informers } from '../../../packages/kube/dist/informer/informers.js'
export { clientFrom } from '../../../packages/kube/dist/transport/client-from.js'

/** The state as a subscriber of an informer sees it. */
export function listener<T extends ApiObject>(informer: Informer<T>): ReadonlyMap<string, T> {
  const known = new Map<string, T>()
  informer.subscribe((change) => {
    const key = keyOf(change.type === 'deleted' ? change.before.metadata : change.after.metadata)
    assert.equal(known.has(key), change.type !== 'added', `${change.type} ${key}`)
    if (change.type === 'updated') assert.equal(known.get(key), change.before, 'what was told last')
    if (change.type === 'deleted') known.delete(key)
    else known.set(key, change.after)
  })
  return known
}

/** Waits until an informer, and its subscriber, equal a new list. */
export async function equalsFreshList<T extends ApiObject>(
  client: KubeClient,
  informer: Informer<T>,
  known?: ReadonlyMap<string, T>,
): Promise<void> {
  const { items } = await client.list(informer.kind, informer.selection)
  const fresh = sorted(items.map(withoutManagedFields))
  await eventually('the informer has come as far as the list', () => versions(informer.list()) === versions(items))
  assert.deepEqual(sorted(informer.list()), fresh)
  if (known !== undefined) assert.deepEqual(sorted([...known.values()]), fresh)
}

/** Advances the clock in steps, with all effects of each. */
export async function pass(clock: FakeClock, milliseconds: number, step = 1_000): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += step) {
    clock.advance(step)
    for (let turns = 0; turns < 4; turns++) await turn()
  }
}

function versions(objects: readonly ApiObject[]): string {
  const all = objects.map(({ metadata }) => `${metadata.uid}@${metadata.resourceVersion}`)
  return all.sort().join()
}

function sorted<T extends ApiObject>(objects: readonly T[]): T[] {
  return objects.toSorted((a, b) => (a.metadata.uid < b.metadata.uid ? -1 : 1))
}

function withoutManagedFields<T extends ApiObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

function keyOf({ namespace = '', name }: ApiObject['metadata']): string {
  return `${namespace}/${name}`
}
