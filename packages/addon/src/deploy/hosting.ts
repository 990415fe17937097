import { AddOnCondition, AddOnReason, type ManagedCluster } from '@orrery/api'
import type { Finding } from '@orrery/kinds/values'
import { type Informer, isBeingDeleted } from '@orrery/kube'
import type { InstallMode } from '../agent-addon.js'

/** Where the agent of an add-on is hosted. */
export type Hosting =
  | { readonly state: 'none' }
  /** The cluster is not a cluster of the hub. */
  | { readonly state: 'invalid'; readonly name: string }
  /** The cluster is being detached, so that nothing new is deployed to it. */
  | { readonly state: 'leaving'; readonly name: string }
  | { readonly state: 'valid'; readonly name: string; readonly cluster: ManagedCluster }

export function hostingOf(install: InstallMode, clusters: Informer<ManagedCluster>): Hosting {
  if (install.mode === 'Default') return { state: 'none' }
  const name = install.hostingCluster
  const cluster = clusters.get({ name })
  if (cluster === undefined) return { state: 'invalid', name }
  return isBeingDeleted(cluster) ? { state: 'leaving', name } : { state: 'valid', name, cluster }
}

/** The condition HostingClusterValidity; undefined if the agent is not hosted. */
export function hostingFinding(hosting: Hosting): Finding | undefined {
  if (hosting.state === 'none') return undefined
  const type = AddOnCondition.HostingClusterValidity
  const isValid = hosting.state !== 'invalid'
  const message = `hosting cluster ${hosting.name} is ${isValid ? '' : 'not '}a managed cluster of the hub`
  const { HostingClusterValid, HostingClusterInvalid } = AddOnReason
  return isValid
    ? { type, status: 'True', reason: HostingClusterValid, message }
    : { type, status: 'False', reason: HostingClusterInvalid, message }
}
