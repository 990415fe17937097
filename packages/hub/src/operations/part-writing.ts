import type { ApiObject, Kind } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { WriteOptions } from '@orrery/kube/client'
import { mergePatchOf, patchLocked } from '@orrery/kube/write'

/** A work or replica set that is a part of a larger one. */
interface Part {
  readonly metadata: {
    readonly name?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec?: object
}

/** Creates or updates a part. Labels and annotations of others stay. */
export function writePart<T extends ApiObject & Part, New extends Part>(
  client: KubeClient,
  kind: Kind<T, New>,
  current: readonly T[],
  part: New,
  call: WriteOptions,
): Promise<T> {
  const known = current.find(({ metadata }) => metadata.name === part.metadata.name)
  if (known === undefined) return client.create(kind, part, call)
  const patchOf = ({ metadata: { labels = {}, annotations = {} }, spec = {} }: T) => {
    const metadata = {
      labels: { ...labels, ...part.metadata.labels },
      annotations: { ...annotations, ...part.metadata.annotations },
    }
    return mergePatchOf({ metadata: { labels, annotations }, spec }, { metadata, spec: part.spec })
  }
  return patchLocked(client, kind, known, patchOf, call)
}
