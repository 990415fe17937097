import { ManifestWork, type NewManifestWork } from '@orrery/api'
import type { KubeObject } from '@orrery/kinds'
import { parseGroupVersion } from '@orrery/kinds/values'

export interface NewWorkOptions {
  readonly name?: string | undefined
  readonly consumer?: string | undefined
}

/** A work to apply, and its consumer. */
export interface ConsumerWork {
  readonly consumer: string
  readonly work: NewManifestWork
}

const { group, version, kind: KIND } = ManifestWork
const API_VERSION = `${group}/${version}`

/** The works in files. With a name, the objects in the files are the manifests of one work. */
export function worksIn(objects: readonly KubeObject[], { name, consumer }: NewWorkOptions): ConsumerWork[] {
  if (name === undefined || consumer === undefined) return objects.map((object) => workOf(object, consumer))
  const work = objects.find(isOfWorkGroup)
  if (work !== undefined) {
    throw new Error(`${work.kind} ${work.metadata.name} is a work itself: omit --name to apply it`)
  }
  const manifests = { metadata: { name }, spec: { workload: { manifests: objects } } }
  return [{ consumer, work: manifests as unknown as NewManifestWork }]
}

function workOf(object: KubeObject, consumer: string | undefined): ConsumerWork {
  const { apiVersion, kind, metadata } = object
  const { name, namespace = consumer } = metadata
  if (kind !== KIND && !isOfWorkGroup(object)) {
    throw new Error(
      `${kind} ${name} is not a ManifestWork: add --name and --consumer to deploy the objects in the files as one work`,
    )
  }
  if (kind !== KIND) throw new Error(`work ${name} has the kind ${kind}: set it to ${KIND}`)
  if (apiVersion !== API_VERSION) {
    throw new Error(`work ${name} has the apiVersion ${apiVersion}: set it to ${API_VERSION}`)
  }
  if (namespace === undefined) {
    throw new Error(`work ${name} has no namespace: set it to the consumer, or add --consumer`)
  }
  if (consumer !== undefined && namespace !== consumer) {
    throw new Error(
      `work ${name} has the namespace ${namespace}, but --consumer is ${consumer}: omit --consumer, or remove the namespace`,
    )
  }
  return { consumer: namespace, work: object as unknown as NewManifestWork }
}

function isOfWorkGroup({ apiVersion }: KubeObject): boolean {
  return parseGroupVersion(apiVersion)?.group === group
}
