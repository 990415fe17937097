import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Encode, Entry, Store } from './types.js'

/** Returns a temporary directory that is removed after the test. */
export function temporaryDirectory(t: Pick<TestContext, 'after'>): string {
  const directory = mkdtempSync(join(tmpdir(), 'orrery-store-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Returns an encoder of a small object with its name, its revision and a value. */
export function encodeObject(name: string, value: string | number, labels: Record<string, string> = {}): Encode {
  return (revision) =>
    Buffer.from(
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, labels, resourceVersion: String(revision) },
        data: { value: String(value) },
      }),
    )
}

/** Creates or replaces an object on top of its head. */
export function write(store: Store, namespace: string, name: string, value: string | number): Promise<Entry> {
  return store.put('things', namespace, name, store.head('things', namespace, name), encodeObject(name, value))
}

/** Removes the object at its head. */
export function erase(store: Store, namespace: string, name: string): Promise<Entry> {
  const head = store.head('things', namespace, name)
  if (head === undefined) throw new Error(`${namespace}/${name} does not exist`)
  return store.remove('things', namespace, name, head, encodeObject(name, 'gone'))
}

/** Returns the value that was given to `encodeObject`. */
export function dataOf(entry: Entry | undefined): string | undefined {
  return (entry?.object().data as { value: string } | undefined)?.value
}
