import { Namespace, SubjectAccessReview, type SubjectAccessReviewSpec } from '@orrery/kinds'
import { internalError } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'

/** What rules have to ask the hub. */
export interface Inquiries {
  /** Whether somebody may do something. */
  authorize(review: SubjectAccessReviewSpec): Promise<boolean>
  /** Whether a namespace is on its way out. One that is not there is not. */
  isTerminating(namespace: string): Promise<boolean>
}

/** Asks the API of the hub, as soon as there is a client of it. When the hub does not answer, the write is refused. */
export function inquiriesOf(client: KubeClient | Promise<KubeClient>): Inquiries {
  return {
    async authorize(spec) {
      const { status } = await answered(async () => (await client).create(SubjectAccessReview, { metadata: {}, spec }))
      return status?.allowed === true
    },
    async isTerminating(name) {
      const namespace = await answered(async () => (await client).find(Namespace, { name }))
      return namespace?.status?.phase === 'Terminating'
    },
  }
}

/** It is not the writer's mistake when the hub does not answer: the error says that trying again may help. */
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw internalError(`the hub could not be asked about the request: ${(error as Error).message}`)
  }
}
