import {
  fieldInvalid,
  fieldRequired,
  invalid,
  type JsonObject,
  type KubeObject,
  type LabelSelectorSpec,
  type Labels,
  labelSelectorFrom,
  labelSelectorOf,
} from '@orrery/kube'
import { displayed } from '../../json.js'
import { kindSchema } from '../../kinds/index.js'
import { CannotBeHandled } from '../../registry/decode.js'
import type { KindLogic } from '../../registry/kindlogic.js'
import type { Resource } from '../../resource.js'
import { ConformError, conform } from '../../schema/conform.js'
import type { StructSchema } from '../../schema/schema.js'
import type { Projection } from './projection.js'

/** Where a kind keeps what a Scale shows. */
export interface ScaleMapping {
  replicas(object: KubeObject): number
  statusReplicas(object: KubeObject): number
  /** In the text form a client passes on as `labelSelector`. */
  selector(object: KubeObject): string
  /** A copy of the object with another number of replicas. */
  withReplicas(object: KubeObject, replicas: number): KubeObject
  /** The configuration of the object that says nothing but this number. */
  appliedReplicas(replicas: number): JsonObject
}

/** Deployments, ReplicaSets, StatefulSets and ReplicationControllers all scale the same way. */
export const builtinScale: ScaleMapping = {
  replicas: (object) => (object.spec as { replicas?: number } | undefined)?.replicas ?? 0,
  statusReplicas: (object) => (object.status as { replicas?: number } | undefined)?.replicas ?? 0,
  selector: (object) => selectorText(object.kind, (object.spec as JsonObject | undefined)?.selector),
  withReplicas: (object, replicas) => ({
    ...object,
    metadata: { ...object.metadata },
    spec: { ...(object.spec as object), replicas },
  }),
  appliedReplicas: (replicas) => ({ spec: { replicas } }),
}

/** Label selectors are objects, except the plain map of a ReplicationController, whose values nobody checks. */
function selectorText(kind: string, selector: unknown): string {
  if (typeof selector !== 'object' || selector === null) return ''
  if (kind === 'ReplicationController') return labelSelectorOf(selector as Labels).text
  return labelSelectorFrom(selector as LabelSelectorSpec).text
}

/** The `scale` subresource of a kind as an autoscaling/v1 Scale. */
export function scaleProjection(logic: KindLogic, mapping: ScaleMapping): Projection {
  const schema = kindSchema('autoscaling', 'v1', 'Scale') as StructSchema
  const resource: Resource = {
    ...logic.resource,
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
    schema,
    custom: false,
  }
  return {
    resource,
    read(live) {
      const { name, namespace, uid, resourceVersion, creationTimestamp } = live.metadata
      const metadata = { name, namespace, uid, resourceVersion, creationTimestamp } as KubeObject['metadata']
      const selector = mapping.selector(live)
      const status = { replicas: mapping.statusReplicas(live), ...(selector !== '' && { selector }) }
      return {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata,
        spec: { replicas: mapping.replicas(live) },
        status,
      }
    },
    write(live, shown) {
      const replicas = (shown.spec as { replicas?: number } | undefined)?.replicas ?? 0
      if (replicas < 0) {
        const error = fieldInvalid('spec.replicas', replicas, 'must be greater than or equal to 0')
        throw invalid({ group: 'autoscaling', kind: 'Scale' }, live.metadata.name ?? '', [error])
      }
      const changed = mapping.withReplicas(live, replicas)
      if (shown.metadata.resourceVersion !== undefined)
        changed.metadata.resourceVersion = shown.metadata.resourceVersion
      if (shown.metadata.uid !== undefined) changed.metadata.uid = shown.metadata.uid
      return changed
    },
    conform(value) {
      if ((value.kind ?? 'Scale') !== 'Scale')
        throw new CannotBeHandled(resource, `the body is a ${displayed(value.kind)}`)
      try {
        return conform(value, schema).object as unknown as KubeObject
      } catch (error) {
        if (error instanceof ConformError) throw new CannotBeHandled(resource, error.message)
        throw error
      }
    },
    applied(config) {
      const replicas = (config.spec as { replicas?: number } | undefined)?.replicas
      if (replicas === undefined)
        throw invalid({ group: 'autoscaling', kind: 'Scale' }, '', [fieldRequired('spec.replicas')])
      const { apiVersion, kind } = {
        apiVersion: `${logic.resource.group === '' ? '' : `${logic.resource.group}/`}${logic.resource.version}`,
        kind: logic.resource.kind,
      }
      return { apiVersion, kind, metadata: config.metadata ?? {}, ...mapping.appliedReplicas(replicas) }
    },
  }
}
