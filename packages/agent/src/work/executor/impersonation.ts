import { KubeClient } from '@orrery/kube'
import type { HttpRequest, Transport } from '@orrery/kube/client'

/** A client that impersonates a user. */
export function impersonating(client: KubeClient, user: string): KubeClient {
  const { transport, fieldManager } = client
  const asUser: Transport = {
    request: (request: HttpRequest) =>
      transport.request({ ...request, headers: { ...request.headers, 'impersonate-user': user } }),
  }
  return new KubeClient(asUser, fieldManager === undefined ? {} : { fieldManager })
}
