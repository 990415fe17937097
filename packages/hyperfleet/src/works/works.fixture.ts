import { EventEmitter, on } from 'node:events'
import type { ManifestWork, NewManifestWork } from '@orrery/api'
import type { JsonObject } from '@orrery/kinds'
import { mergePatch } from '@orrery/kinds/patch'
import { alreadyExists, cloneJson, notFound } from '@orrery/kinds/values'
import type { WatchableWorkClient, WatchableWorks } from './work-client.js'

const WORKS = { group: 'work.open-cluster-management.io', resource: 'manifestworks' }

/** Works in memory, which fail as a test wants. */
export class FakeMaestro implements WatchableWorkClient {
  readonly works = new Map<string, ManifestWork>()
  /** The calls so far: `get us-east/web`. */
  readonly calls: string[] = []
  /** Errors of the next calls of a verb. */
  readonly failures: { readonly verb: string; readonly error: Error }[] = []
  /** Wakes the watches. */
  readonly #changed = new EventEmitter()

  manifestWorks(consumer: string): WatchableWorks {
    const key = (name: string) => `${consumer}/${name}`
    const call = (verb: string, name: string) => {
      this.calls.push(`${verb} ${key(name)}`)
      const index = this.failures.findIndex((failure) => failure.verb === verb)
      const [failure] = index < 0 ? [] : this.failures.splice(index, 1)
      if (failure !== undefined) throw failure.error
    }
    const existing = (name: string) => {
      const found = this.works.get(key(name))
      if (found === undefined) throw notFound(WORKS, name)
      return found
    }
    return {
      get: async (name) => {
        call('get', name)
        return cloneJson(existing(name))
      },
      list: async () => {
        call('list', '')
        const items = [...this.works].filter(([name]) => name.startsWith(`${consumer}/`)).map(([, work]) => work)
        return { items: cloneJson(items) }
      },
      create: async (work) => {
        call('create', work.metadata.name ?? '')
        if (this.works.has(key(work.metadata.name ?? ''))) throw alreadyExists(WORKS, work.metadata.name ?? '')
        return this.put(work, 1)
      },
      patch: async (name, patch) => {
        call('patch', name)
        const old = existing(name)
        return this.put(mergePatch(old as unknown as JsonObject, patch) as never, (old.metadata.generation ?? 0) + 1)
      },
      delete: async (name) => {
        call('delete', name)
        this.works.delete(key(name))
        this.#changed.emit(key(name))
      },
      watch: ({ name, signal }) => {
        call('watch', name)
        return this.#events(key(name), signal)
      },
    }
  }

  put(work: NewManifestWork, generation = 1): ManifestWork {
    const { name = '', namespace = '' } = work.metadata
    const stored = {
      ...cloneJson(work),
      metadata: { ...work.metadata, name, namespace, generation },
    } as never as ManifestWork
    this.works.set(`${namespace}/${name}`, stored)
    this.#changed.emit(`${namespace}/${name}`)
    return stored
  }

  async *#events(key: string, signal: AbortSignal): AsyncGenerator<string> {
    try {
      // Subscribed before the first event is read: none may be missed.
      const changes = on(this.#changed, key, { signal })
      if (this.works.has(key)) yield 'ADDED'
      for await (const _ of changes) yield 'MODIFIED'
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  /** Reports a status as the agent would. */
  report(work: NewManifestWork, status: unknown, applied: { status: string; reason: string; message: string }): void {
    const feedback = { name: 'status', fieldValue: { type: 'JsonRaw', jsonRaw: JSON.stringify(status) } }
    const manifests = [{ resourceMeta: { ordinal: 0 }, statusFeedback: { values: [feedback] }, conditions: [] }]
    const stored = this.works.get(`${work.metadata.namespace}/${work.metadata.name}`) as ManifestWork
    const observedGeneration = stored.metadata.generation
    const conditions = [{ type: 'Applied', observedGeneration, lastTransitionTime: '2030-01-01T00:00:00Z', ...applied }]
    Object.assign(stored, { status: { conditions, resourceStatus: { manifests } } })
    this.#changed.emit(`${work.metadata.namespace}/${work.metadata.name}`)
  }
}

export function hostedClusterWork(generation?: number): NewManifestWork {
  return {
    metadata: {
      name: 'hostedcluster-abc123',
      namespace: 'us-east-mgmt-01',
      labels: { 'hyperfleet.io/cluster-id': 'abc123', 'hyperfleet.io/adapter': 'controlplane' },
      ...(generation === undefined ? {} : { annotations: { 'hyperfleet.io/generation': String(generation) } }),
    },
    spec: {
      workload: {
        manifests: [
          {
            apiVersion: 'hypershift.openshift.io/v1beta1',
            kind: 'HostedCluster',
            metadata: { name: 'my-cluster', namespace: 'clusters' },
            spec: { platform: { type: 'GCP' } },
          },
        ],
      },
    },
  }
}
