import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { Namespace } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { Transport } from '@orrery/kube/client'

/** A cluster for the suite, and a namespace in it. */
export interface Subject {
  readonly client: KubeClient
  readonly namespace: string
}

/** Connects to a cluster for one test. Its objects are deleted after the test. */
export type Connect = (t: Pick<TestContext, 'after'>) => Promise<Subject>

/** A unique name: a real cluster keeps state between runs. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${randomBytes(4).toString('hex')}`
}

/** A namespace for one test. */
export async function ownNamespace(t: Pick<TestContext, 'after'>, client: KubeClient): Promise<Subject> {
  const namespace = uniqueName('kube-suite')
  await client.create(Namespace, { metadata: { name: namespace } })
  t.after(() => client.ensureDeleted(Namespace, { name: namespace }))
  return { client, namespace }
}

/** A transport that records its requests. */
export function counting(transport: Transport): Transport & { readonly requests: string[] } {
  const requests: string[] = []
  return {
    requests,
    request(request) {
      requests.push(`${request.method} ${request.path.split('?')[0]}`)
      return transport.request(request)
    },
  }
}
