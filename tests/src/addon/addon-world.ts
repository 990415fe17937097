import type { TestContext } from 'node:test'
import { type AgentOptions, addonPart } from '@orrery/agent'
import {
  ADDON_NAME_LABEL,
  type AddOnRegistration,
  ManagedClusterAddOn,
  type ManagedClusterAddOnStatus,
} from '@orrery/api'
import { CertificateSigningRequest, Lease, Namespace, Secret } from '@orrery/kinds'
import { formatMicroTime } from '@orrery/kinds/values'
import { writeStatus } from '@orrery/kube'
import { secretText } from '@orrery/kube/credentials'
import { approveRequest, isApproved, issueFor } from '@orrery/kube/csr'
import { type Certificate, parseCertificatePem } from '@orrery/kube/pki'
import { testAuthority } from '@orrery/kube/testing'
import { join, trusting } from '../agent/joining.js'
import { startWorld } from '../agent/spoke.js'

export const ADDON_NAMESPACE = 'open-cluster-management-agent-addon'
/** How far the clock advances between two checks: after an outage, agents wait for up to a minute before they try again. */
const RETRY_MILLISECONDS = 100
export const KUBE_CLIENT: AddOnRegistration = { type: 'kubeClient' }

/** A hub and a cluster whose agent runs the add-on part. The test acts as the controller of the add-ons. */
export async function startAddonWorld(t: Pick<TestContext, 'after'>, options: Partial<AgentOptions> = {}) {
  const { hub, spoke, link } = await startWorld(t, trusting)
  await spoke.client.create(Namespace, { metadata: { name: ADDON_NAMESPACE } })
  const agent = await join(hub, spoke, link, 'c1', { parts: [addonPart], ...options })
  const authority = testAuthority('addon-signer', hub.clock.now())
  const refOf = (name: string) => ({ namespace: 'c1', name })
  const secretRef = (name: string, namespace = ADDON_NAMESPACE) => ({ namespace, name })

  return {
    hub,
    spoke,
    link,
    agent,
    refOf,

    /** Creates an add-on with registrations in its status, as the hub does. */
    async addAddon(name: string, registrations = [KUBE_CLIENT], more: ManagedClusterAddOnStatus = {}) {
      const addon = await hub.client.create(ManagedClusterAddOn, { metadata: refOf(name), spec: {} })
      return this.setStatus(addon, { registrations, ...more })
    },

    async setStatus({ metadata: { name } }: ManagedClusterAddOn, more: ManagedClusterAddOnStatus) {
      const addon = await hub.client.get(ManagedClusterAddOn, refOf(name))
      return writeStatus(hub.client, ManagedClusterAddOn, addon, ({ status }) => ({ ...status, ...more }))
    },

    /** Waits for a condition of an add-on. */
    whenCondition(name: string, type: string, status: string, reason?: string) {
      return hub.when(ManagedClusterAddOn, refOf(name), (addon) => {
        hub.clock.advance(RETRY_MILLISECONDS)
        return (addon.status?.conditions ?? []).some(
          (found) =>
            found.type === type && found.status === status && (reason === undefined || found.reason === reason),
        )
      })
    },

    async requests(name: string): Promise<CertificateSigningRequest[]> {
      const { items } = await hub.client.list(CertificateSigningRequest, {
        labelSelector: `${ADDON_NAME_LABEL}=${name}`,
      })
      return items
    },

    /** Waits for a request of the add-on that is not approved, and approves it. Custom signers issue at once. */
    async approveNext(name: string): Promise<CertificateSigningRequest> {
      let pending: CertificateSigningRequest | undefined
      await hub.eventually(`a request of ${name} is pending`, async () => {
        hub.clock.advance(RETRY_MILLISECONDS)
        pending = (await this.requests(name)).find((request) => !isApproved(request))
        return pending !== undefined
      })
      const decision = { reason: 'Tested', message: '' }
      const request = pending as CertificateSigningRequest
      const approved = await approveRequest(hub.client, request, decision, { clock: hub.clock })
      if (!request.spec.signerName.startsWith('kubernetes.io/'))
        await issueFor(hub.client, approved, { authority, clock: hub.clock })
      return request
    },

    secret: (name: string, namespace?: string) => spoke.client.find(Secret, secretRef(name, namespace)),

    /** Waits for a Secret on the cluster. */
    async whenSecret(
      name: string,
      namespace?: string,
      holds: (secret: Secret) => boolean = () => true,
    ): Promise<Secret> {
      let found: Secret | undefined
      await hub.eventually(`Secret ${name} is as wanted`, async () => {
        hub.clock.advance(RETRY_MILLISECONDS)
        found = await spoke.client.find(Secret, secretRef(name, namespace))
        return found !== undefined && holds(found)
      })
      return found as Secret
    },

    async whenNoSecret(name: string, namespace?: string): Promise<void> {
      await hub.eventually(
        `Secret ${name} is gone`,
        async () => (await spoke.client.find(Secret, secretRef(name, namespace))) === undefined,
      )
    },

    /** Renews the Lease of an add-on, as its agent does. */
    async renewLease(name: string, namespace = ADDON_NAMESPACE): Promise<void> {
      const spec = { leaseDurationSeconds: 60, renewTime: formatMicroTime(hub.clock.now()) }
      await spoke.client.apply(Lease, { metadata: { namespace, name }, spec }, { fieldManager: 'addon', force: true })
    },
  }
}

/** The certificate in a Secret. */
export function certificateIn(secret: Secret): Certificate {
  return parseCertificatePem(secretText(secret, 'tls.crt') ?? '')
}
