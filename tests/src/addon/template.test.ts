import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { agentSubject, tokenUser } from '@orrery/addon'
import {
  type AddOnRegistration,
  AddOnTemplate,
  ClusterManagementAddOn,
  ManagedCluster,
  ManagedClusterAddOn,
  ManifestWork,
  type NewAddOnTemplateSpec,
} from '@orrery/api'
import { HUB_SERVICE_ACCOUNT, hubAdmission, hubControllers, startHub } from '@orrery/hub'
import {
  CertificateSigningRequest,
  ClusterRole,
  ClusterRoleBinding,
  Namespace,
  RoleBinding,
  Secret,
} from '@orrery/kinds'
import { findCondition, isForbidden, writeStatus } from '@orrery/kube'
import { certificateOf, isApproved, requestCertificate } from '@orrery/kube/csr'
import { silentLogger } from '@orrery/kube/log'
import { createAuthority, generateKey, parseCertificatePem, privateKeyPem } from '@orrery/kube/pki'
import { HubServer } from '../hub/hub-server.js'
import { clusterWithNamespace } from './part-hub.js'

const REF = { namespace: 'c1', name: 'hello' }
const TEMPLATES = { group: AddOnTemplate.group, resource: AddOnTemplate.plural }
const BINDING = { namespace: 'c1', name: 'open-cluster-management:hello:clusterrole:agent' }
const SHARED = { namespace: 'shared', name: 'open-cluster-management:hello:role:agent' }
const SIGNER = 'example.com/hello'

const SPEC: NewAddOnTemplateSpec = {
  addonName: 'hello',
  agentSpec: {
    workload: {
      manifests: [
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'hello', namespace: 'hello-agent' },
          spec: {
            selector: { matchLabels: { app: 'hello' } },
            template: {
              metadata: { labels: { app: 'hello' } },
              spec: { containers: [{ name: 'agent', image: 'hello', args: ['{{CLUSTER_NAME}}'] }] },
            },
          },
        },
      ],
    },
  },
  registration: [
    {
      type: 'KubeClient',
      kubeClient: {
        hubPermissions: [
          { type: 'CurrentCluster', currentCluster: { clusterRoleName: 'hello-agent' } },
          {
            type: 'SingleNamespace',
            singleNamespace: {
              namespace: 'shared',
              roleRef: { apiGroup: ClusterRole.group, kind: 'Role', name: 'reader' },
            },
          },
        ],
      },
    },
    {
      type: 'CustomSigner',
      customSigner: { signerName: SIGNER, subject: { user: 'signed' }, signingCA: { name: 'hello-ca' } },
    },
  ],
}

/** Creates the add-on with its template, and a cluster with it. */
async function installTemplate(hub: HubServer): Promise<void> {
  await hub.client.create(Namespace, { metadata: { name: 'shared' } })
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]
  await hub.client.create(ClusterRole, { metadata: { name: 'hello-agent' }, rules })
  await hub.client.create(AddOnTemplate, { metadata: { name: 'hello-1' }, spec: SPEC })
  const defaultConfigs = [{ ...TEMPLATES, name: 'hello-1' }]
  await hub.client.create(ClusterManagementAddOn, { metadata: { name: 'hello' }, spec: { defaultConfigs } })
  await clusterWithNamespace(hub, 'c1')
  await hub.client.create(ManagedClusterAddOn, { metadata: REF, spec: {} })
}

function registration({ status }: ManagedClusterAddOn): string | undefined {
  return findCondition(status?.conditions, 'RegistrationApplied')?.reason
}

/** Writes the driver as the agent of a cluster does, and waits until the registration is complete. */
async function registerAgent(hub: HubServer, driver: 'csr' | 'token'): Promise<ManagedClusterAddOn> {
  const seen = await hub.when(ManagedClusterAddOn, REF, ({ status }) => status?.registrations !== undefined)
  const subject = driver === 'token' ? { subject: { user: tokenUser('c1', 'hello') } } : {}
  const written = (current: readonly AddOnRegistration[] = []) =>
    current.map((entry) =>
      entry.type === 'kubeClient' ? { ...entry, kubeClient: { ...entry.kubeClient, driver, ...subject } } : entry,
    )
  await writeStatus(hub.client, ManagedClusterAddOn, seen, ({ status }) => ({
    ...status,
    registrations: written(status?.registrations),
  }))
  return hub.when(ManagedClusterAddOn, REF, (addon) => {
    const isDriver = addon.status?.registrations?.some(({ kubeClient }) => kubeClient?.driver === driver) === true
    return isDriver && registration(addon) === 'SetPermissionApplied'
  })
}

async function started(t: TestContext): Promise<HubServer> {
  const hub = await HubServer.start(t)
  await installTemplate(hub)
  return hub
}

suite('addonTemplateControllers', () => {
  test('register the agent of a template and grant it what the template names', async (t) => {
    const hub = await started(t)
    const done = await registerAgent(hub, 'csr')
    assert.equal(done.status?.namespace, 'hello-agent')
    assert.deepEqual(
      new Set(done.status?.supportedConfigs?.map(({ resource }) => resource)),
      new Set(['addontemplates', 'addondeploymentconfigs']),
    )
    const { user, groups } = agentSubject('c1', 'hello', 'hello-agent')
    assert.deepEqual(done.status?.registrations, [
      { type: 'kubeClient', kubeClient: { driver: 'csr', subject: { user, groups: [...groups] } } },
      { type: 'customSigner', customSigner: { signerName: SIGNER, subject: { user: 'signed' } } },
    ])
    const work = await hub.when(ManifestWork, { namespace: 'c1', name: 'addon-hello-deploy-0' })
    assert.match(JSON.stringify(work.spec?.workload), /"args":\["c1"\].*"secretName":"hello-hub-kubeconfig"/)
    const own = await hub.when(RoleBinding, BINDING)
    assert.deepEqual(own.roleRef, { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: 'hello-agent' })
    assert.deepEqual(
      own.subjects?.map(({ name }) => name),
      [user, groups[0]],
    )
    assert.equal(own.metadata.labels?.['open-cluster-management.io/addon-name'], 'hello')
    assert.equal(own.metadata.labels?.['open-cluster-management.io/addon-template-name'], '')
    const shared = await hub.when(RoleBinding, SHARED)
    assert.deepEqual(
      shared.subjects?.map(({ name }) => name),
      [groups[1]],
    )

    const token = await registerAgent(hub, 'token')
    await hub.when(RoleBinding, BINDING, ({ subjects = [] }) => subjects[0]?.name === tokenUser('c1', 'hello'))
    await hub.when(RoleBinding, SHARED, ({ subjects = [] }) =>
      subjects.some(({ name }) => name === tokenUser('c1', 'hello')),
    )
    await hub.settle()
    const settled = await hub.client.get(ManagedClusterAddOn, REF)
    await hub.stopControllers()
    await hub.startControllers()
    await hub.settle()
    const restarted = await hub.client.get(ManagedClusterAddOn, REF)
    assert.equal(restarted.metadata.resourceVersion, settled.metadata.resourceVersion, 'a restart writes nothing')

    await hub.client.delete(ManagedClusterAddOn, token.metadata)
    await hub.whenGone(RoleBinding, BINDING)
    await hub.whenGone(RoleBinding, SHARED)
  })

  test('delete bindings that a changed template does not name', async (t) => {
    const hub = await started(t)
    await registerAgent(hub, 'csr')
    await hub.when(RoleBinding, BINDING)
    const spec = { registration: [{ type: 'KubeClient', kubeClient: { hubPermissions: [] } }] }
    await hub.client.patch(AddOnTemplate, { name: 'hello-1' }, { spec })
    await hub.whenGone(RoleBinding, BINDING)
    await hub.whenGone(RoleBinding, SHARED)
  })

  test('revoke the permissions of a denied cluster, and keep those of others', async (t) => {
    const hub = await started(t)
    await registerAgent(hub, 'csr')
    const groupsAre = (...expected: readonly string[]) =>
      hub.when(RoleBinding, SHARED, ({ subjects = [] }) => subjects.map(({ name }) => name).join() === expected.join())
    const [, ofAllClusters] = agentSubject('c1', 'hello').groups
    await groupsAre(ofAllClusters)
    await clusterWithNamespace(hub, 'c2')
    await hub.client.create(ManagedClusterAddOn, { metadata: { namespace: 'c2', name: 'hello' }, spec: {} })
    await hub.client.patch(ManagedCluster, { name: 'c1' }, { spec: { hubAcceptsClient: false } })
    await hub.whenGone(RoleBinding, BINDING)
    await groupsAre(agentSubject('c2', 'hello').groups[0])
    await hub.settle()
    assert.equal(registration(await hub.client.get(ManagedClusterAddOn, REF)), 'HubClusterAdminDenied')
    await hub.client.patch(ManagedCluster, { name: 'c1' }, { spec: { hubAcceptsClient: true } })
    await hub.when(RoleBinding, BINDING)
    await groupsAre(ofAllClusters)
  })

  test('approve and sign certificates of a custom signer for a day', async (t) => {
    const hub = await started(t)
    const { privateKey } = generateKey()
    const { certificatePem, key } = createAuthority('ca', privateKey, new Date('2000-01-01'), new Date('2100-01-01'))
    const base64 = (text: string) => Buffer.from(text).toString('base64')
    await hub.client.create(Secret, {
      metadata: { namespace: 'open-cluster-management-hub', name: 'hello-ca' },
      data: { 'tls.crt': base64(certificatePem), 'tls.key': base64(privateKeyPem(privateKey)) },
    })
    await registerAgent(hub, 'csr')
    const ask = async (cluster: string, commonName: string) => {
      const client = hub.as(`system:open-cluster-management:${cluster}:agent1`, 'system:masters')
      const labels = {
        'open-cluster-management.io/addon-name': 'hello',
        'open-cluster-management.io/cluster-name': 'c1',
      }
      const generateName = 'addon-c1-hello-'
      return (await requestCertificate(client, { generateName, signerName: SIGNER, commonName, labels })).request
        .metadata
    }
    const others = [await ask('c2', 'signed'), await ask('c1', 'other')]
    const { name } = await ask('c1', 'signed')
    const issued = await hub.when(
      CertificateSigningRequest,
      { name },
      ({ status }) => status?.certificate !== undefined,
    )
    const certificate = parseCertificatePem(certificateOf(issued) ?? '')
    assert.ok(certificate.isSignedBy(key))
    const hours = (certificate.notAfter.getTime() - hub.clock.now().getTime()) / 3_600_000
    assert.ok(hours <= 24 && hours > 23)
    await hub.settle()
    for (const other of others) {
      const request = await hub.client.get(CertificateSigningRequest, { name: other.name })
      assert.equal(isApproved(request), false, 'requests of others, or for others, are not approved')
      assert.equal(request.status?.certificate, undefined)
    }
  })

  test('a hub grants no more than it has', async (t) => {
    const hub = await HubServer.start(t, { controllers: () => [] })
    const account = `system:serviceaccount:open-cluster-management-hub:${HUB_SERVICE_ACCOUNT}`
    const client = hub.as(account, 'system:serviceaccounts', 'system:serviceaccounts:open-cluster-management-hub')
    const controllers = await startHub({ client, clock: hub.clock, log: silentLogger, controllers: hubControllers })
    t.after(() => controllers.close())
    await installTemplate(hub)
    const failed = await hub.when(ManagedClusterAddOn, REF, (addon) => registration(addon) === 'SetPermissionFailed')
    const { message } = findCondition(failed.status?.conditions, 'RegistrationApplied') ?? {}
    assert.match(message ?? '', /^Failed to set permission for hub agent: .*(forbidden|not found)/)
    assert.equal(await hub.client.find(RoleBinding, BINDING), undefined)

    const roleRef = { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: 'may-bind' }
    const rules = [
      {
        apiGroups: [ClusterRole.group],
        resources: ['clusterroles', 'roles'],
        resourceNames: ['hello-agent', 'reader'],
        verbs: ['bind'],
      },
    ]
    await hub.client.create(ClusterRole, { metadata: { name: 'may-bind' }, rules })
    const subjects = [{ kind: 'User', apiGroup: ClusterRole.group, name: account }]
    await hub.client.create(ClusterRoleBinding, { metadata: { name: 'may-bind' }, roleRef, subjects })
    await hub.when(RoleBinding, BINDING)
  })
})

test('templateRule: the author of a template needs the permissions that it grants', async (t) => {
  const rules = hubAdmission()
  const hub = await HubServer.start(t, { controllers: () => [], admission: rules.plugins })
  rules.useClient(hub.client)
  const writes = [{ apiGroups: [AddOnTemplate.group], resources: [AddOnTemplate.plural], verbs: ['*'] }]
  const grant = async (name: string, more: typeof writes) => {
    const roleRef = { apiGroup: ClusterRole.group, kind: 'ClusterRole', name }
    await hub.client.create(ClusterRole, { metadata: { name }, rules: more })
    const subjects = [{ kind: 'User', apiGroup: ClusterRole.group, name: 'author' }]
    await hub.client.create(ClusterRoleBinding, { metadata: { name }, roleRef, subjects })
  }
  await grant('writes', writes)
  const author = hub.as('author')
  const create = (name: string, registration: NonNullable<NewAddOnTemplateSpec['registration']>) =>
    author.create(AddOnTemplate, { metadata: { name }, spec: { ...SPEC, registration } })
  const [kubeClient, customSigner] = SPEC.registration ?? []
  await create('without', [])
  const serviceAccount = { namespace: 'default', name: 'nobody' }
  const executor = { subject: { type: 'ServiceAccount', serviceAccount } } as const
  const spec = { ...SPEC, registration: [], agentSpec: { ...SPEC.agentSpec, executor } }
  await assert.rejects(
    author.create(AddOnTemplate, { metadata: { name: 'executor' }, spec }),
    /spec\.agentSpec\.executor is not supported: works of add-ons are applied with the permissions of the agent/,
  )
  for (const [entry, what] of [
    [kubeClient, /user "author" cannot create rolebindings/],
    [customSigner, /user "author" cannot sign signers "example\.com\/hello"/],
  ] as const) {
    await assert.rejects(
      create('refused', entry ? [entry] : []),
      (error: Error) => isForbidden(error) && what.test(error.message),
    )
  }
  await grant('binds', [
    { apiGroups: [ClusterRole.group], resources: ['rolebindings'], verbs: ['create'] },
    { apiGroups: [ClusterRole.group], resources: ['clusterroles', 'roles'], verbs: ['bind'] },
  ])
  await hub.eventually('the author may write the template', () =>
    create('allowed', kubeClient ? [kubeClient] : []).then(
      () => true,
      () => false,
    ),
  )
  await hub.client.delete(ClusterRoleBinding, { name: 'binds' })
  await hub.eventually('the author may no longer change its programs', () =>
    author
      .patch(AddOnTemplate, { name: 'allowed' }, { spec: { agentSpec: { workload: { manifests: [] } } } })
      .then(() => false, isForbidden),
  )
  await author.patch(AddOnTemplate, { name: 'allowed' }, { metadata: { labels: { a: 'b' } } })
})
