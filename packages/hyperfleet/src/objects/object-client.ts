import type { ApiObject, KubeObject, ObjectRef } from '@orrery/kinds'
import { labelSelectorOf } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { type ApiResource, Discovery, type DynamicObject } from '@orrery/kube/discovery'
import { ensure } from '@orrery/kube/write'
import { AdapterError } from '../adapter-error.js'
import type { PropagationPolicy } from '../config/task-config.js'

/** A kind that is known only at run time. Every object has these fields. */
export interface ObjectType {
  readonly apiVersion: string
  readonly kind: string
}

/** Selects objects of a type: those that match all that is given. */
export interface ObjectSelection {
  /** Default all namespaces. */
  readonly namespace?: string
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
}

export interface DeleteObjectOptions extends CallOptions {
  readonly propagationPolicy: PropagationPolicy
}

/** What an adapter needs of a Kubernetes API. */
export interface ObjectClient {
  /** The object; undefined if it does not exist. */
  find(type: ObjectType, ref: ObjectRef, options: CallOptions): Promise<ApiObject | undefined>
  list(type: ObjectType, selection: ObjectSelection, options: CallOptions): Promise<readonly ApiObject[]>
  /** Creates the object, or sets its fields on the existing one. */
  apply(object: KubeObject, existing: ApiObject | undefined, options: CallOptions): Promise<ApiObject>
  /** Deletes this object, and not another of the same name, if it exists. */
  delete(object: ApiObject, options: DeleteObjectOptions): Promise<void>
}

/** Objects of any kind that a server has. The client needs a field manager. */
export function kubeObjects(client: KubeClient): ObjectClient {
  const discovery = new Discovery(client)
  return {
    async find(type, ref, options) {
      const kind = await discovery.kindOf(type, options)
      return client.find(kind, refIn(kind, ref), options)
    },
    async list(type, { namespace, name, labels = {} }, options) {
      const kind = await discovery.kindOf(type, options)
      const { items } = await client.list(kind, {
        ...options,
        ...(kind.scope === 'Namespaced' && namespace !== undefined && { namespace }),
        ...(name !== undefined && { fieldSelector: `metadata.name=${name}` }),
        ...(Object.keys(labels).length > 0 && { labelSelector: labelSelectorOf(labels).text }),
      })
      return items
    },
    async apply(object, existing, options) {
      const kind = await discovery.kindOf(object, options)
      return ensure(client, kind, object, existing as DynamicObject | undefined, options)
    },
    async delete(object, options) {
      const kind = await discovery.kindOf(object, options)
      const { uid } = object.metadata
      await client.ensureDeleted(kind, refIn(kind, object.metadata), {
        ...options,
        ...(uid !== undefined && { preconditions: { uid } }),
      })
    },
  }
}

/** A manifest for several clusters can name a namespace for an object that has none. */
function refIn({ kind, scope }: ApiResource, { name, namespace }: ObjectRef): ObjectRef {
  if (scope === 'Cluster') return { name }
  if (namespace !== undefined && namespace !== '') return { name, namespace }
  const message = `namespace: Required value: ${kind} ${JSON.stringify(name)} is in a namespace: set metadata.namespace of the manifest and discovery.namespace`
  throw new AdapterError('Validation', message)
}
