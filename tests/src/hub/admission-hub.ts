import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, type TestContext } from 'node:test'
import { hubAdmission } from '@orrery/hub'
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '@orrery/kinds'
import type { StatusError } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import {
  type Authority,
  altNamesOf,
  createAuthority,
  DistinguishedName,
  generateKey,
  issueLeaf,
} from '@orrery/kube/pki'
import { certificateInDirectory } from '@orrery/kube/serving'
import { installWebhooks, startWebhookServer, type WebhookServer, type WebhookServerOptions } from '@orrery/webhook'
import { HubServer, type HubServerOptions } from './hub-server.js'

const HOUR = 3_600_000

export interface AdmittingOptions extends Pick<HubServerOptions, 'features'> {
  readonly manifestLimit?: number
}

/** A hub that enforces its admission rules, in one way or another. */
export type StartAdmitting = (t: TestContext, options?: AdmittingOptions) => Promise<HubServer>

/** With plugins of its embedded server. */
const admittingByPlugins: StartAdmitting = async (t, options = {}) => {
  const admission = hubAdmission(options)
  const hub = await HubServer.start(t, { ...options, admission: admission.plugins })
  admission.useClient(hub.client)
  return hub
}

/** With webhooks, as a hub on an existing cluster. */
const admittingByWebhooks: StartAdmitting = async (t, options = {}) => {
  const hub = await HubServer.start(t, options)
  const { server, ca } = await startTestWebhooks(t, { ...options, client: hub.client, clock: hub.clock })
  await installWebhooks(hub.client, ca, { url: `https://localhost:${server.port}` })
  return hub
}

/** Runs the same tests with plugins and with webhooks. */
export function bothWays(title: string, tests: (start: StartAdmitting) => void): void {
  suite(`${title} with plugins`, () => tests(admittingByPlugins))
  suite(`${title} with webhooks`, () => tests(admittingByWebhooks))
}

/** Asserts that the hub refuses a request with a status code and a message. */
export async function refusal(attempt: Promise<unknown>, code: number, message: RegExp | string): Promise<void> {
  await assert.rejects(attempt, (error: StatusError) => {
    assert.equal(error.code, code, error.message)
    if (typeof message === 'string') assert.ok(error.message.includes(message), error.message)
    else assert.match(error.message, message)
    return true
  })
}

export interface TestWebhooks {
  readonly server: WebhookServer
  readonly directory: string
  readonly authority: Authority
  /** The CA of the server. */
  readonly ca: string
}

/** A webhook server with a certificate for localhost. */
export async function startTestWebhooks(
  t: TestContext,
  options: Omit<WebhookServerOptions, 'certificate'>,
): Promise<TestWebhooks> {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-webhook-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const now = Date.now()
  const key = generateKey().privateKey
  const authority = createAuthority('webhook-test', key, new Date(now - HOUR), new Date(now + 24 * HOUR))
  await writeServingCertificate(directory, authority, 'first')
  const certificate = await certificateInDirectory(directory)
  const server = await startWebhookServer({ host: '127.0.0.1', port: 0, certificate, ...options })
  t.after(async () => {
    await server.close()
    certificate.close()
  })
  return { server, directory, authority, ca: authority.certificatePem }
}

export interface TestCertificate {
  readonly cert: string
  readonly key: string
}

/** A certificate of a test authority. */
export function issueTest(authority: Authority, name: string, usage: 'server auth' | 'client auth'): TestCertificate {
  const { certificate, key } = issueLeaf(authority, {
    subject: DistinguishedName.of(name),
    altNames: altNamesOf(['localhost', '127.0.0.1']),
    usages: ['digital signature', usage],
    notBefore: new Date(Date.now() - HOUR),
    notAfter: new Date(Date.now() + HOUR),
  })
  return { cert: certificate, key }
}

/** Writes a certificate to the directory of a webhook server. */
export async function writeServingCertificate(directory: string, authority: Authority, name: string): Promise<void> {
  const { cert, key } = issueTest(authority, name, 'server auth')
  await writeFile(join(directory, 'tls.key'), key)
  await writeFile(join(directory, 'tls.crt'), cert)
}

/** The verbs of a user who may read and write. */
export const WRITE: readonly string[] = ['get', 'create', 'update', 'patch']

/** A permission. */
export interface Permission {
  readonly group: string
  readonly resource: string
  readonly verbs: readonly string[]
  readonly names?: readonly string[]
}

/** A client with these permissions. */
export async function withPermissions(
  hub: HubServer,
  username: string,
  permissions: readonly Permission[],
): Promise<KubeClient> {
  const name = `rights-of-${username}`
  await hub.client.create(ClusterRole, { metadata: { name }, rules: permissions.map(ruleOf) })
  await hub.client.create(ClusterRoleBinding, {
    metadata: { name },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    subjects: [{ kind: 'User', apiGroup: RBAC, name: username }],
  })
  return hub.as(username)
}

/** Grants a user a permission in one namespace. */
export async function alsoIn(
  hub: HubServer,
  namespace: string,
  username: string,
  permission: Permission,
): Promise<void> {
  const metadata = { namespace, name: `rights-of-${username}` }
  await hub.client.create(Role, { metadata, rules: [ruleOf(permission)] })
  await hub.client.create(RoleBinding, {
    metadata,
    roleRef: { apiGroup: RBAC, kind: 'Role', name: metadata.name },
    subjects: [{ kind: 'User', apiGroup: RBAC, name: username }],
  })
}

const RBAC = 'rbac.authorization.k8s.io'

function ruleOf({ group, resource, verbs, names = [] }: Permission) {
  return { apiGroups: [group], resources: [resource], verbs: [...verbs], resourceNames: [...names] }
}
