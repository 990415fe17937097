import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { ConvertingTransport } from './api-conversion/converting-transport.js'
import { type AddonApiVersion, servedVersion } from './api-conversion/served-version.js'

/**
 * The version of the add-on API to use on a hub: v1beta1, unless the hub serves only v1alpha1, as before version 1.2 of Open Cluster
 * Management. Undefined if the hub serves none.
 */
export function addonApiVersion(
  { transport }: KubeClient,
  options: CallOptions = {},
): Promise<AddonApiVersion | undefined> {
  return servedVersion(transport, options)
}

/**
 * A client for the add-on kinds of v1beta1, whichever version the hub serves. It looks for the version when it is first needed. On a hub
 * with v1alpha1 only, it converts requests and responses. Anything else is sent as it is.
 */
export function addonClient(client: KubeClient): KubeClient {
  if (client.transport instanceof ConvertingTransport) return client
  return client.withTransport(new ConvertingTransport(client.transport))
}

export type { AddonApiVersion } from './api-conversion/served-version.js'
