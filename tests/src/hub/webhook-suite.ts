import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  convertedCrds,
  HUB_NAMESPACE,
  HUB_WEBHOOKS,
  ManagedCluster,
  ManagedClusterAddOn,
  ManagedClusterAddOnV1Alpha1,
  TRIAL_WEBHOOK,
  WEBHOOK_SECRET,
} from '@orrery/api'
import { HUB_SERVICE_ACCOUNT, installHub, startHub } from '@orrery/hub'
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  Namespace,
  Secret,
  Service,
  ValidatingWebhookConfiguration,
} from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { createAuthority, generateKey, parseCertificatePem, privateKeyPem } from '@orrery/kube/pki'
import { eventually } from '@orrery/kube/testing'
import {
  findWebhooks,
  type HubWebhooks,
  removeWebhooks,
  startHubWebhooks,
  type WebhookState,
  type WebhookTarget,
} from '@orrery/webhook'
import { freePort } from '../support/free-port.js'
import { afterwards } from '../support/server.js'

/** An API server that is a hub, and its clients. */
export interface WebhookSubject {
  /** The administrator's client. */
  readonly client: KubeClient
  /** A client with only the permissions of the account `orrery-hub`. */
  readonly hub: KubeClient
}

/** The user of the account `orrery-hub`. */
export const HUB_USER = {
  username: `system:serviceaccount:${HUB_NAMESPACE}:${HUB_SERVICE_ACCOUNT}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${HUB_NAMESPACE}`, 'system:authenticated'],
}

/** The namespace of add-ons. */
export const SUITE_NAMESPACE = 'orrery-webhook-suite'

/** The address of this process for the API server. */
const HOST = process.env.ORRERY_TEST_HOST ?? '127.0.0.1'
const YEAR = 365 * 86_400_000

interface Replica {
  readonly webhooks: HubWebhooks
  readonly states: readonly WebhookState[]
  close(): Promise<void>
}

/** The webhooks of a hub whose API server calls a URL or Service. With `leads` it runs the leader's controllers. */
async function startReplica(
  t: TestContext,
  hub: KubeClient,
  where: string | WebhookTarget,
  leads: boolean,
  port: number,
): Promise<Replica> {
  const states: WebhookState[] = []
  const webhooks = await startHubWebhooks({
    client: hub,
    target: typeof where === 'string' ? { url: where } : where,
    host: HOST,
    port,
    onState: (state) => states.push(state),
  })
  const leader = await startHub({ client: hub, controllers: leads ? webhooks.controllers : () => [] })
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= leader.close().then(() => webhooks.close())
    return closing
  }
  afterwards(t, close)
  return { webhooks, states, close }
}

async function installed(client: KubeClient): Promise<string[]> {
  const lists = [await client.list(MutatingWebhookConfiguration), await client.list(ValidatingWebhookConfiguration)]
  return lists
    .flatMap(({ items }) => items.map(({ metadata }) => metadata.name).filter((name) => ALL.includes(name)))
    .sort()
}

function whenAsked({ states }: Replica): Promise<true> {
  return eventually('the API server calls the webhooks', async () => states.at(-1)?.phase === 'called')
}

const ALL = [...HUB_WEBHOOKS.map(({ name }) => name), TRIAL_WEBHOOK].sort()

/** Tests of a hub's webhooks for any API server that can reach this process. */
export function webhookSuite(title: string, open: (t: TestContext) => Promise<WebhookSubject>): void {
  test(`${title}: an API server that reaches the webhooks calls them`, async (t) => {
    const { client, hub } = await open(t)
    assert.deepEqual(await findWebhooks(client), { state: 'none' })
    const port = await freePort(HOST)
    const replica = await startReplica(t, hub, `https://${HOST}:${port}`, true, port)
    await whenAsked(replica)
    assert.deepEqual(await installed(client), ALL)
    assert.deepEqual(await findWebhooks(client), { state: 'called' })
    const draft = { metadata: { name: 'kube-suite' } }
    await eventually('the webhooks deny the request', () =>
      refusal(client.create(ManagedCluster, draft, { dryRun: true }), /belongs to the hub/),
    )
    await client.create(Namespace, { metadata: { name: SUITE_NAMESPACE } })
    const ref = { namespace: SUITE_NAMESPACE, name: 'proxy' }
    await client.create(ManagedClusterAddOnV1Alpha1, { metadata: ref, spec: { installNamespace: 'proxies' } })
    assert.equal((await client.get(ManagedClusterAddOn, ref)).apiVersion, 'addon.open-cluster-management.io/v1beta1')

    await client.delete(ManagedClusterAddOn, ref)
    const before = await versions(client)
    await installHub(client)
    await installHub(client)
    assert.deepEqual(await conversions(client), [`https://${HOST}:${port}/convert`, `https://${HOST}:${port}/convert`])
    assert.deepEqual(await versions(client), before, 'installing again leaves them alone')
  })

  test(`${title}: webhooks are not installed on an API server that does not reach them`, async (t) => {
    const { client, hub } = await open(t)
    const [away, port] = [await freePort(HOST), await freePort(HOST)]
    const replica = await startReplica(t, hub, `https://${HOST}:${away}`, true, port)
    const state = await eventually('the webhooks are found unreachable', async () =>
      replica.states.find(({ phase }) => phase === 'unreachable'),
    )
    assert.ok(state.phase === 'unreachable' && !state.isEnforced && /failed to call webhook/.test(state.problem))
    assert.deepEqual(await installed(client), [TRIAL_WEBHOOK])
    const finding = await findWebhooks(client)
    assert.ok(finding.state === 'unreachable' && !finding.isEnforced && /failed to call webhook/.test(finding.problem))
    await client.create(ManagedCluster, { metadata: { name: SUITE_NAMESPACE } }, { dryRun: true })
  })

  test(`${title}: an API server reaches the webhooks behind a Service`, { skip: HOST !== '127.0.0.1' }, async (t) => {
    const { client, hub } = await open(t)
    const port = await freePort(HOST)
    const ref = { namespace: HUB_NAMESPACE, name: SUITE_NAMESPACE }
    const spec = { type: 'ExternalName' as const, externalName: 'localhost', ports: [{ port }] }
    await client.ensureDeleted(Service, ref)
    await client.create(Service, { metadata: ref, spec })
    afterwards(t, async () => void (await client.ensureDeleted(Service, ref)))
    const replica = await startReplica(t, hub, { service: { ...ref, port } }, true, port)
    await whenAsked(replica)
    const draft = { metadata: { name: 'kube-suite' } }
    await eventually('the webhooks deny the request', () =>
      refusal(client.create(ManagedCluster, draft, { dryRun: true }), /belongs to the hub/),
    )
    await replica.close()
    // Moves the configuration from the Service to a URL.
    const other = await freePort(HOST)
    const moved = await startReplica(t, hub, `https://${HOST}:${other}`, true, other)
    await whenAsked(moved)
    assert.deepEqual(await conversions(client), [
      `https://${HOST}:${other}/convert`,
      `https://${HOST}:${other}/convert`,
    ])
    await eventually('the webhooks deny the request', () =>
      refusal(client.create(ManagedCluster, draft, { dryRun: true }), /belongs to the hub/),
    )
  })

  test(`${title}: replicas serve the same certificate`, async (t) => {
    const { client, hub } = await open(t)
    const [first, second] = [await freePort(HOST), await freePort(HOST)]
    const url = `https://${HOST}:${first}`
    const leader = await startReplica(t, hub, url, true, first)
    const standby = await startReplica(t, hub, url, false, second)
    await whenAsked(leader)
    await eventually('the standby serves', async () => standby.webhooks.isServing)
    await leader.close()
    const draft = { metadata: { name: 'kube-suite' } }
    await assert.rejects(client.create(ManagedCluster, draft, { dryRun: true }), /failed calling webhook/)
    const finding = await findWebhooks(client)
    assert.ok(finding.state === 'unreachable' && finding.isEnforced)
    // It starts again at the address that the API server calls.
    await standby.close()
    const restarted = await startReplica(t, hub, url, false, first)
    await eventually('the restarted replica serves', async () => restarted.webhooks.isServing)
    await eventually('the webhooks deny the request', () =>
      refusal(client.create(ManagedCluster, draft, { dryRun: true }), /belongs to the hub/),
    )
  })

  test(`${title}: renews an old authority, and updates the configurations`, async (t) => {
    const { client, hub } = await open(t)
    const port = await freePort(HOST)
    const old = createAuthority(
      'orrery-webhook',
      generateKey().privateKey,
      new Date(Date.now() - 7 * YEAR),
      new Date(Date.now() + 3 * YEAR),
    )
    const data = { 'ca.crt': old.certificatePem, 'ca.key': privateKeyPem(old.key), 'tls.crt': '', 'tls.key': '' }
    await client.create(Secret, { metadata: { ...WEBHOOK_SECRET }, type: 'kubernetes.io/tls', stringData: data })
    const replica = await startReplica(t, hub, `https://${HOST}:${port}`, true, port)
    await whenAsked(replica)
    const secret = await client.get(Secret, WEBHOOK_SECRET)
    const ca = Buffer.from(secret.data?.['ca.crt'] ?? '', 'base64').toString()
    const renewed = parseCertificatePem(ca)
    assert.ok(renewed.notAfter.getTime() > Date.now() + 9 * YEAR)
    assert.ok(renewed.publicKeyDer.equals(old.certificate.publicKeyDer))
    assert.deepEqual(await authorities(client), [secret.data?.['ca.crt']])

    await client.delete(Secret, WEBHOOK_SECRET)
    await eventually('the new authority is in the configurations', async () => {
      const made = await client.find(Secret, WEBHOOK_SECRET)
      if (made === undefined || made.data?.['ca.crt'] === secret.data?.['ca.crt']) return undefined
      const [authority, ...others] = await authorities(client)
      return authority === made.data?.['ca.crt'] && others.length === 0
    })
  })

  test(`${title}: replaces configurations of another installation, and does not remove them`, async (t) => {
    const { client, hub } = await open(t)
    const name = 'managedclustervalidators.admission.cluster.open-cluster-management.io'
    const foreign = {
      metadata: { name },
      webhooks: [
        {
          name,
          clientConfig: { service: { namespace: 'open-cluster-management-hub', name: 'other', port: 443 } },
          rules: [],
          sideEffects: 'None' as const,
          admissionReviewVersions: ['v1'],
        },
      ],
    }
    await client.create(ValidatingWebhookConfiguration, foreign)
    assert.deepEqual(await removeWebhooks(hub), [])
    assert.deepEqual(await findWebhooks(client), { state: 'configured' })
    const port = await freePort(HOST)
    const replica = await startReplica(t, hub, `https://${HOST}:${port}`, true, port)
    await whenAsked(replica)
    const { webhooks } = await client.get(ValidatingWebhookConfiguration, { name })
    assert.match(webhooks?.[0]?.clientConfig.url ?? '', new RegExp(`^https://${HOST}:${port}/validate-`))

    await client.delete(ValidatingWebhookConfiguration, { name })
    await eventually('the configuration is there', () => client.find(ValidatingWebhookConfiguration, { name }))
    await replica.close()
    assert.deepEqual((await removeWebhooks(hub)).sort(), ALL)
    assert.deepEqual(await installed(client), [])
  })
}

/** API servers load configurations a moment after they are written. */
async function refusal(write: Promise<unknown>, words: RegExp): Promise<true | undefined> {
  try {
    await write
    return undefined
  } catch (error) {
    assert.match((error as Error).message, words)
    return true
  }
}

/** The CA bundles of all configurations, without duplicates. */
async function authorities(client: KubeClient): Promise<(string | undefined)[]> {
  const { items } = await client.list(ValidatingWebhookConfiguration)
  const own = items.filter(({ metadata }) => ALL.includes(metadata.name))
  return [...new Set(own.map(({ webhooks }) => webhooks?.[0]?.clientConfig.caBundle))]
}

async function versions(client: KubeClient): Promise<(string | undefined)[]> {
  const lists = [await client.list(MutatingWebhookConfiguration), await client.list(ValidatingWebhookConfiguration)]
  return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.resourceVersion))
}

async function conversions(client: KubeClient): Promise<(string | undefined)[]> {
  const { items } = await client.list(CustomResourceDefinition)
  return items.flatMap(({ metadata, spec: { conversion } }) =>
    convertedCrds().includes(metadata.name) ? [conversion?.webhook?.clientConfig?.url] : [],
  )
}
