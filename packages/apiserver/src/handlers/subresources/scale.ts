import type { JsonObject, JsonValue, KubeObject, ManagedFieldsEntry } from '@orrery/kinds'
import { kindSchema, type StructSchema } from '@orrery/kinds/tables'
import {
  fieldInvalid,
  formatGroupVersion,
  formatTime,
  invalid,
  type LabelSelectorSpec,
  type Labels,
  labelSelectorFrom,
  labelSelectorOf,
} from '@orrery/kinds/values'
import type { Clock } from '@orrery/kube/clock'
import { applyPatch } from '../../apply/apply.js'
import { parentManagedFields, scaleManagedFields } from '../../apply/scale.js'
import { trackUpdate } from '../../apply/track.js'
import type { Column, Resource } from '../../kinds/resource.js'
import { AGE, count } from '../../printers/column.js'
import type { KindLogic } from '../../registry/kind-logic.js'
import type { ScaleMapping } from '../../registry/scale-mapping.js'
import { typedObject } from '../../registry/typed.js'
import { withManagedFields } from './narrowed.js'
import type { Projection } from './projection.js'

/** The mapping of Deployments, ReplicaSets, StatefulSets and ReplicationControllers. */
export const builtinScale: ScaleMapping = {
  replicas: (object) => (object.spec as { replicas?: number } | undefined)?.replicas ?? 0,
  statusReplicas: (object) => (object.status as { replicas?: number } | undefined)?.replicas ?? 0,
  selector: (object) => selectorText(object.kind, (object.spec as JsonObject | undefined)?.selector),
  withReplicas: (object, replicas) => ({
    ...object,
    metadata: { ...object.metadata },
    spec: { ...(object.spec as object), replicas },
  }),
  replicasPaths: ({ group, version }) => new Map([[formatGroupVersion(group, version), ['f:spec', 'f:replicas']]]),
}

/**
 * Selectors are LabelSelector objects, except for the plain map of a ReplicationController, whose values are not
 * validated.
 */
function selectorText(kind: string, selector: unknown): string {
  if (typeof selector !== 'object' || selector === null) return ''
  if (kind === 'ReplicationController') return labelSelectorOf(selector as Labels).text
  return labelSelectorFrom(selector as LabelSelectorSpec).text
}

const SCALE = { apiVersion: 'autoscaling/v1', kind: 'Scale', custom: false } as const

const COLUMNS: readonly Column[] = [
  count('Desired', 'Replicas that should exist.', (scale) => (scale.spec as { replicas?: number }).replicas ?? 0),
  count('Available', 'Replicas that exist.', (scale) => (scale.status as { replicas?: number }).replicas ?? 0),
  AGE,
]

/** The `scale` subresource of a kind as an autoscaling/v1 Scale. */
export function scaleProjection(logic: KindLogic, mapping: ScaleMapping): Projection {
  const kind = scaleKind(logic)
  const { schema } = kind.resource
  const apiVersion = formatGroupVersion(logic.resource.group, logic.resource.version)
  const scaled = (live: KubeObject, shown: KubeObject): KubeObject => {
    const replicas = (shown.spec as { replicas?: number } | undefined)?.replicas ?? 0
    if (replicas < 0) {
      const error = fieldInvalid('spec.replicas', replicas, 'must be greater than or equal to 0')
      throw invalid({ group: 'autoscaling', kind: 'Scale' }, live.metadata.name ?? '', [error])
    }
    const changed = mapping.withReplicas(live, replicas)
    const { resourceVersion, uid } = shown.metadata
    if (resourceVersion !== undefined) changed.metadata.resourceVersion = resourceVersion
    if (uid !== undefined) changed.metadata.uid = uid
    return changed
  }
  // The managed fields of a Scale are those of the replicas in the object.
  const ownedScale = (live: KubeObject): KubeObject => {
    const owners = scaleManagedFields(live.metadata.managedFields ?? [], mapping.replicasPaths(logic.resource))
    return withManagedFields(scaleOf(live, mapping), owners)
  }
  const sharedAmong = (
    live: KubeObject,
    changed: KubeObject,
    scale: readonly ManagedFieldsEntry[] = [],
  ): KubeObject => {
    const paths = mapping.replicasPaths(logic.resource)
    const owners = parentManagedFields(live.metadata.managedFields ?? [], scale, apiVersion, paths)
    return withManagedFields(changed, owners.length === 0 ? undefined : owners)
  }
  return {
    kind,
    read: (live) => scaleOf(live, mapping),
    ownsFields: true,
    write({ manager, subresource }, live, shown, clock) {
      const changed = scaled(live, shown)
      const before = ownedScale(live)
      const updated = scaleOf(changed, mapping)
      const scale = trackUpdate({ ...SCALE, schema, live: before, updated, manager, time: now(clock), subresource })
      return sharedAmong(live, changed, scale)
    },
    apply({ manager, options, subresource }, live, config, clock) {
      const applied = applyPatch({
        ...SCALE,
        schema,
        live: ownedScale(live),
        config: config as unknown as JsonValue,
        manager,
        force: options.force === true,
        time: now(clock),
        subresource,
      })
      return sharedAmong(live, scaled(live, applied), applied.metadata.managedFields)
    },
  }
}

function now(clock: Clock): string {
  return formatTime(clock.now())
}

function scaleOf(live: KubeObject, mapping: ScaleMapping): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = live.metadata
  const metadata = {
    name,
    ...(namespace !== undefined && { namespace }),
    uid,
    resourceVersion,
    creationTimestamp,
  } as KubeObject['metadata']
  const selector = mapping.selector(live)
  const status = { replicas: mapping.statusReplicas(live), ...(selector !== '' && { selector }) }
  return { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata, spec: { replicas: mapping.replicas(live) }, status }
}

/** The kind of bodies and responses of the subresource. */
function scaleKind(logic: KindLogic): KindLogic {
  const schema = kindSchema('autoscaling', 'v1', 'Scale') as StructSchema
  const resource: Resource = {
    ...logic.resource,
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
    schema,
    columns: COLUMNS,
    custom: false,
  }
  return {
    ...logic,
    resource,
    conform: (value) => typedObject(value, resource, schema),
    refuseManyItems: () => undefined,
    applyDefaults: () => undefined,
  }
}
