import { KubeClient } from '@orrery/kube'
import type { HttpRequest, Transport } from '@orrery/kube/client'

/** A client whose requests are made in the name of somebody else. */
export function impersonating(client: KubeClient, user: string): KubeClient {
  const { transport } = client
  const asUser: Transport = {
    request: (request: HttpRequest) =>
      transport.request({ ...request, headers: { ...request.headers, 'impersonate-user': user } }),
  }
  return new KubeClient(asUser)
}
