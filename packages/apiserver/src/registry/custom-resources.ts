import type { JsonObject, KubeObject } from '@orrery/kinds'
import { cloneJson, formatGroupVersion } from '@orrery/kinds/values'
import type { Logger } from '@orrery/kube'
import type { ReplicasPaths } from '../apply/scale.js'
import type { Versions } from '../apply/versions.js'
import { type CompiledCrdVersion, compileVersion } from '../crd/compile.js'
import { type ConversionBackend, convertObjects, needsConverter } from '../crd/convert.js'
import { isServed } from '../crd/lifecycle.js'
import { openapiV2Of, openapiV3Of, type PublishedSchemas } from '../crd/openapi.js'
import { customScale } from '../crd/scale.js'
import type { Crd } from '../crd/types.js'
import type { Resource } from '../kinds/resource.js'
import type { Store } from '../store/types.js'
import type { WatchHub } from '../watch/types.js'
import type { Catalog } from './catalog.js'
import { type Conversion, customLogic } from './custom.js'
import type { ScaleMapping } from './scale-mapping.js'

const CRD_BUCKET = 'customresourcedefinitions.apiextensions.k8s.io'

/** Serves custom resources: follows CRDs in the store and updates the catalog. */
export class CustomResources {
  readonly #store: Store
  readonly #catalog: Catalog
  readonly #backend: ConversionBackend
  readonly #hub: Pick<WatchHub, 'endBucket'>
  readonly #log: Logger
  readonly #compiled = new Map<Resource, CompiledCrdVersion>()
  /** By CRD name: the last compiled version, which is kept if only the status of the CRD changes. */
  readonly #served = new Map<string, { readonly fingerprint: string; readonly resources: readonly Resource[] }>()
  #stop: (() => void) | undefined

  constructor(
    store: Store,
    catalog: Catalog,
    backend: ConversionBackend,
    hub: Pick<WatchHub, 'endBucket'>,
    log: Logger,
  ) {
    this.#store = store
    this.#catalog = catalog
    this.#backend = backend
    this.#hub = hub
    this.#log = log
  }

  start(): void {
    for (const entry of this.#store.page({ bucket: CRD_BUCKET, namespace: '' }).entries)
      this.#follow(entry.object() as Crd)
    this.#stop = this.#store.subscribe((changes) => {
      for (const { entry, type } of changes) {
        if (entry.bucket !== CRD_BUCKET) continue
        if (type === 'DELETED') this.#drop(entry.name)
        else this.#follow(entry.object() as Crd)
      }
    })
  }

  stop(): void {
    this.#stop?.()
  }

  /** Returns the scale mapping of a custom resource; undefined if it has none. */
  scaleOf(resource: Resource): ScaleMapping | undefined {
    const { scale: mapping, crd } = this.#compiled.get(resource) ?? {}
    if (mapping === undefined || crd === undefined) return undefined
    return {
      replicas: (object) => mapping.read(object).replicas ?? 0,
      statusReplicas: (object) => mapping.read(object).scale.status.replicas,
      selector: (object) => mapping.read(object).scale.status.selector ?? '',
      withReplicas(object, replicas) {
        const copy = cloneJson(object)
        mapping.write(copy, replicas)
        return copy
      },
      replicasPaths: () => replicasPaths(crd),
    }
  }

  /** Returns the published schemas of a custom resource and its list for OpenAPI v2 or v3. */
  definitionsOf(resource: Resource, dialect: 'v2' | 'v3'): PublishedSchemas | undefined {
    const crd = this.#compiled.get(resource)?.crd
    return crd && (dialect === 'v2' ? openapiV2Of : openapiV3Of)(crd, resource.version)
  }

  #follow(crd: Crd): void {
    const name = crd.metadata.name ?? ''
    if (!isServed(crd) || this.#catalog.isBuiltin(crd.spec.group, crd.spec.names.plural ?? '')) {
      this.#drop(name)
      return
    }
    const fingerprint = JSON.stringify([crd.spec, crd.status?.acceptedNames])
    if (this.#served.get(name)?.fingerprint === fingerprint) return
    try {
      const all = crd.spec.versions.map((version) => compileVersion(crd, version.name))
      const versions = all.filter((_, index) => crd.spec.versions[index]?.served)
      const storedDefaults = new Map(all.map((one) => [apiVersionOf(one.resource), one.applyDefaults]))
      this.#forget(name)
      for (const compiled of versions) this.#compiled.set(compiled.resource, compiled)
      this.#served.set(name, { fingerprint, resources: versions.map(({ resource }) => resource) })
      const freshSince = this.#store.revision
      const conversion = this.#conversion(crd, versions)
      this.#catalog.setCustom(
        name,
        versions.map((compiled) => customLogic(compiled, conversion, storedDefaults, freshSince)),
      )
    } catch (error) {
      this.#log.error('a custom resource definition could not be compiled', {
        name,
        error: error instanceof Error ? error.message : String(error),
      })
    }
  }

  #drop(name: string): void {
    if (!this.#served.has(name)) return
    this.#forget(name)
    this.#served.delete(name)
    this.#catalog.setCustom(name, [])
  }

  /** Watches with the old encoding end; clients resume them where they stopped. */
  #forget(name: string): void {
    const resources = this.#served.get(name)?.resources ?? []
    for (const resource of resources) this.#compiled.delete(resource)
    const bucket = resources[0]?.storage.bucket
    if (bucket !== undefined) this.#hub.endBucket(bucket)
  }

  #conversion(crd: Crd, served: readonly CompiledCrdVersion[]): Conversion {
    const inProcess = this.#backend.inProcess?.get(crd.metadata.name ?? '')
    if (inProcess !== undefined || !needsConverter(crd, this.#backend)) {
      const prefix = formatGroupVersion(crd.spec.group, '')
      const convert = (object: KubeObject, toApiVersion: string) => convertNow(object, toApiVersion, prefix, inProcess)
      return { remote: false, convert, ...(inProcess !== undefined && { versions: versionsOf(served, convert) }) }
    }
    const convert = async (object: KubeObject, toApiVersion: string) => {
      const version = toApiVersion.slice(toApiVersion.indexOf('/') + 1)
      const [converted] = await convertObjects(crd, [object], version, this.#backend)
      return converted as KubeObject
    }
    return { remote: true, convert }
  }
}

/**
 * Returns the versions of a resource with different fields. Converters get a copy, since they may modify it; a missing
 * object is missing in every version.
 */
function versionsOf(
  served: readonly CompiledCrdVersion[],
  convert: (object: KubeObject, toApiVersion: string) => KubeObject,
): Versions {
  const schemas = new Map(served.map(({ resource }) => [apiVersionOf(resource), resource.schema]))
  return {
    schema: (apiVersion) => schemas.get(apiVersion),
    convert(object, apiVersion) {
      if (object.apiVersion === undefined) return object
      return convert(cloneJson(object) as unknown as KubeObject, apiVersion) as unknown as JsonObject
    },
  }
}

function apiVersionOf({ group, version }: Resource): string {
  return formatGroupVersion(group, version)
}

/** Returns the paths of the replicas in each version, for managed fields. */
function replicasPaths({ spec }: Crd): ReplicasPaths {
  return new Map(
    spec.versions.map(({ name, subresources }) => {
      const path = subresources?.scale && customScale(subresources.scale).replicasPath.map((key) => `f:${key}`)
      return [formatGroupVersion(spec.group, name), path] as const
    }),
  )
}

function convertNow(
  object: KubeObject,
  toApiVersion: string,
  prefix: string,
  inProcess: ((object: KubeObject, toApiVersion: string) => KubeObject) | undefined,
): KubeObject {
  if (object.apiVersion === toApiVersion || !object.apiVersion.startsWith(prefix)) return object
  return inProcess === undefined ? { ...object, apiVersion: toApiVersion } : inProcess(object, toApiVersion)
}
