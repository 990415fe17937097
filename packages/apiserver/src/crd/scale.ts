import type { JsonObject, KubeObject, ObjectMeta } from '@orrery/kinds'
import type { CustomResourceSubresourceScale } from '@orrery/kinds/apiextensions'
import { type FieldError, fieldInvalid } from '@orrery/kinds/values'
import { NestedTypeError, nestedInteger, nestedString, setNested, splitPath } from './nested.js'

const MAX_REPLICAS = 2 ** 31 - 1

/** The `Scale` of autoscaling/v1. */
export interface Scale {
  readonly apiVersion: 'autoscaling/v1'
  readonly kind: 'Scale'
  readonly metadata: ObjectMeta
  readonly spec: { readonly replicas?: number }
  readonly status: { readonly replicas: number; readonly selector?: string }
}

/** Reads and writes the scale subresource of a version of a custom resource. */
export interface CustomScale {
  /** The path of the replicas in the object, which the field manager of a scale owns. */
  readonly replicasPath: readonly string[]
  /**
   * Returns the `Scale` of an object; `replicas` is undefined if the object does not set it. Throws `NestedTypeError`.
   */
  read(object: KubeObject): { readonly scale: Scale; readonly replicas: number | undefined }
  /** Sets the replicas of an object in place. */
  write(object: KubeObject, replicas: number): void
  /** Returns the errors of the values at the paths. `part` is the part that is written. */
  validate(object: JsonObject, part: 'all' | 'status'): FieldError[]
}

export function customScale(paths: CustomResourceSubresourceScale): CustomScale {
  const specPath = splitPath(paths.specReplicasPath)
  const statusPath = splitPath(paths.statusReplicasPath)
  const selectorPath = paths.labelSelectorPath ? splitPath(paths.labelSelectorPath) : undefined
  return {
    replicasPath: specPath,
    read(object) {
      const json = object as unknown as JsonObject
      const replicas = nestedInteger(json, specPath)
      const current = nestedInteger(json, statusPath) ?? 0
      const selector = selectorPath && nestedString(json, selectorPath)
      const spec = replicas ? { replicas } : {}
      const status = selector ? { replicas: current, selector } : { replicas: current }
      return {
        scale: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: scaleMeta(object.metadata), spec, status },
        replicas,
      }
    },
    write(object, replicas) {
      setNested(object as unknown as JsonObject, specPath, replicas)
    },
    validate(object, part) {
      const errors: FieldError[] = []
      if (part === 'all') checkReplicas(object, specPath, paths.specReplicasPath, errors)
      checkReplicas(object, statusPath, paths.statusReplicasPath, errors)
      if (selectorPath) checkSelector(object, selectorPath, paths.labelSelectorPath as string, errors)
      return errors
    },
  }
}

function scaleMeta(meta: ObjectMeta): ObjectMeta {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = meta
  return {
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(creationTimestamp !== undefined && { creationTimestamp }),
  }
}

function checkReplicas(object: JsonObject, path: readonly string[], field: string, errors: FieldError[]): void {
  try {
    const replicas = nestedInteger(object, path) ?? 0
    if (replicas < 0) errors.push(fieldInvalid(field, replicas, 'should be a non-negative integer'))
    else if (replicas > MAX_REPLICAS) {
      errors.push(fieldInvalid(field, replicas, `should be less than or equal to ${MAX_REPLICAS}`))
    }
  } catch (error) {
    if (!(error instanceof NestedTypeError)) throw error
    errors.push(fieldInvalid(field, 0, error.message))
  }
}

function checkSelector(object: JsonObject, path: readonly string[], field: string, errors: FieldError[]): void {
  try {
    nestedString(object, path)
  } catch (error) {
    if (!(error instanceof NestedTypeError)) throw error
    errors.push(fieldInvalid(field, '', error.message))
  }
}
