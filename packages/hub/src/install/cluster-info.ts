import { ConfigMap } from '@orrery/kinds'
import { ensure, type KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { parseKubeconfig } from '@orrery/kube/kubeconfig'
import { HUB_FIELD_MANAGER } from '../field-manager.js'

/** The ConfigMap where kubeadm and clusteradm look for the address of a cluster. */
const CLUSTER_INFO = { namespace: 'kube-public', name: 'cluster-info' }

/** Marks addresses that Orrery published: those of others may only work inside their own network. */
const MANAGED_BY = { 'app.kubernetes.io/managed-by': 'orrery' }

/** The address of a hub, and its certificate authority. */
export interface ClusterInfo {
  readonly server: string
  /** PEM. */
  readonly ca: string
}

/** Publishes the address of this hub, as kubeadm does. Writes nothing if it is up to date. */
export async function publishClusterInfo(client: KubeClient, server: string, ca: string): Promise<void> {
  const cluster = { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') }
  const kubeconfig = JSON.stringify({ apiVersion: 'v1', kind: 'Config', clusters: [{ name: '', cluster }] })
  const wanted = { metadata: { ...CLUSTER_INFO, labels: MANAGED_BY }, data: { kubeconfig } }
  const found = await client.find(ConfigMap, CLUSTER_INFO)
  await ensure(client, ConfigMap, wanted, found, { fieldManager: HUB_FIELD_MANAGER })
}

/** The address of an embedded hub; undefined for others. */
export async function readClusterInfo(client: KubeClient, call: CallOptions = {}): Promise<ClusterInfo | undefined> {
  const found = await client.find(ConfigMap, CLUSTER_INFO, call)
  const [[key, value]] = Object.entries(MANAGED_BY) as [[string, string]]
  if (found?.metadata.labels?.[key] !== value) return undefined
  const { clusters } = await parseKubeconfig(found.data?.kubeconfig ?? '')
  const [entry] = clusters.values()
  const { server, 'certificate-authority-data': ca } = entry?.value ?? {}
  if (server === undefined || ca === undefined) return undefined
  return { server, ca: Buffer.from(ca, 'base64').toString('utf8') }
}
