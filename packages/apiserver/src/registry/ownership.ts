import type { JsonValue, KubeObject } from '@orrery/kinds'
import { formatGroupVersion, formatTime } from '@orrery/kinds/values'
import type { Clock } from '@orrery/kube/clock'
import { fieldSet } from '../apply/algebra.js'
import { applyPatch } from '../apply/apply.js'
import { trackUpdate } from '../apply/track.js'
import { type ResourceShape, without } from '../apply/versions.js'
import type { Resource } from '../kinds/resource.js'
import type { WriteContext } from './context.js'
import type { KindLogic } from './kind-logic.js'

/** Sets the managed fields of a new object in its metadata. */
export function claimCreated(context: WriteContext, object: KubeObject, clock: Clock): void {
  claim(context, object, undefined, clock)
}

/** Updates the managed fields after a change other than apply, in the object's metadata. */
export function claimUpdated(context: WriteContext, object: KubeObject, live: KubeObject, clock: Clock): void {
  claim(context, object, live, clock)
}

function claim(context: WriteContext, updated: KubeObject, live: KubeObject | undefined, clock: Clock): void {
  const { manager, subresource, logic } = context
  const time = formatTime(clock.now())
  // The spread comes last: adding fields to the copy of a leading spread is slow.
  const managedFields = trackUpdate({ live, updated, manager, time, subresource, ...shapeOf(logic, subresource) })
  if (managedFields === undefined) delete updated.metadata.managedFields
  else updated.metadata.managedFields = managedFields
}

/** Server-side apply of a configuration to an object. `live` is undefined if it creates the object. */
export function applyOwned(
  context: WriteContext,
  live: KubeObject | undefined,
  config: KubeObject,
  clock: Clock,
): KubeObject {
  const { logic, manager, options, subresource } = context
  return applyPatch({
    ...shapeOf(logic, subresource),
    kind: logic.resource.kind,
    live,
    config: config as unknown as JsonValue,
    manager,
    force: options.force === true,
    time: formatTime(clock.now()),
    subresource,
  })
}

/** By resource, since a request can have its own logic. */
const shapes = new WeakMap<Resource, Map<string, ResourceShape>>()

function shapeOf(logic: KindLogic, subresource: string): ResourceShape {
  let bySubresource = shapes.get(logic.resource)
  if (bySubresource === undefined) {
    bySubresource = new Map()
    shapes.set(logic.resource, bySubresource)
  }
  let shape = bySubresource.get(subresource)
  if (shape === undefined) {
    shape = makeShape(logic, subresource)
    bySubresource.set(subresource, shape)
  }
  return shape
}

function makeShape(logic: KindLogic, subresource: string): ResourceShape {
  const { resource, traits, versions } = logic
  const apiVersion = formatGroupVersion(resource.group, resource.version)
  const reset = traits.resetFields(subresource)
  return {
    apiVersion,
    schema: resource.schema,
    custom: resource.custom,
    ...(versions !== undefined && { versions }),
    ...(reset.length > 0 && { filters: new Map([[apiVersion, without(fieldSet(...reset))]]) }),
  }
}
