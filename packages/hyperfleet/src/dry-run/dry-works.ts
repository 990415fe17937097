import type { ManifestWork } from '@orrery/api'
import type { ApiObject, JsonObject } from '@orrery/kinds'
import { mergePatch } from '@orrery/kinds/patch'
import { cloneJson, isObject, notFound } from '@orrery/kinds/values'
import { AdapterError } from '../adapter-error.js'
import type { WorkClient, Works } from '../works/work-client.js'
import { objectIn } from './json-file.js'

/** A call of a dry run. */
export interface RecordedOperation {
  readonly operation: 'create' | 'patch' | 'delete' | 'get' | 'list'
  readonly client: 'maestro' | 'kubernetes'
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly result: string
  /** The object that was written. */
  readonly manifest?: unknown
}

const WORKS = { group: 'work.open-cluster-management.io', resource: 'manifestworks' }

/** Works of a dry run: those of a file, and those that the run writes. Nothing leaves the process. */
export class DryWorks implements WorkClient {
  readonly #operations: RecordedOperation[]
  readonly #works: Map<string, ManifestWork>

  /** @param operations Calls are added to it. */
  constructor(discovered: Readonly<Record<string, ApiObject>>, operations: RecordedOperation[]) {
    const works = Object.entries(cloneJson(discovered)).filter(
      ([, { kind = 'ManifestWork' }]) => kind === 'ManifestWork',
    )
    this.#works = new Map(works) as Map<string, ManifestWork>
    this.#operations = operations
  }

  manifestWorks(consumer: string): Works {
    const record = (operation: RecordedOperation['operation'], name: string, result: string, manifest?: unknown) => {
      const base = { operation, client: 'maestro', kind: 'ManifestWork', namespace: consumer, name, result } as const
      this.#operations.push(manifest === undefined ? base : { ...base, manifest })
    }
    const existing = (name: string) => {
      const found = this.#works.get(name)
      if (found !== undefined) return found
      record('get', name, 'not found')
      throw notFound(WORKS, name)
    }
    const write = (operation: 'create' | 'patch', name: string, work: ManifestWork) => {
      this.#works.set(name, work)
      record(operation, name, operation === 'create' ? 'created' : 'updated', work)
      return cloneJson(work)
    }
    return {
      get: async (name) => {
        const work = cloneJson(existing(name))
        record('get', name, 'found')
        return work
      },
      list: async () => {
        record('list', '', `${this.#works.size} found`)
        return { items: cloneJson([...this.#works.values()]) }
      },
      create: async (work) => write('create', work.metadata.name ?? '', cloneJson(work) as unknown as ManifestWork),
      patch: async (name, patch) => {
        const patched = mergePatch(existing(name) as unknown as JsonObject, patch)
        return write('patch', name, patched as unknown as ManifestWork)
      },
      delete: async (name) => {
        existing(name)
        this.#works.delete(name)
        record('delete', name, 'deleted')
      },
    }
  }
}

/** Reads `{name: object}`. */
export function parseDiscovered(text: string, file: string): Record<string, ApiObject> {
  const parsed = objectIn(text, file)
  for (const [name, object] of Object.entries(parsed)) {
    if (isObject(object) && isObject(object.metadata)) continue
    throw new AdapterError('Configuration', `${file} is not valid: ${name}.metadata: Required value`)
  }
  return parsed as unknown as Record<string, ApiObject>
}
