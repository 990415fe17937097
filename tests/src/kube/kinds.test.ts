import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ApiServer, startApiServer } from '@orrery/apiserver'
import type { Kind } from '@orrery/kinds'
import * as kinds from '@orrery/kinds'
import { labelSelectorFrom, resourceName } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { Discovery } from '@orrery/kube/discovery'

let server: ApiServer
let client: KubeClient

before(async () => {
  server = await startApiServer({ host: false })
  client = server.client()
})

after(() => server.close())

const full = ({ group, plural, version, kind, scope }: Kind) =>
  `${resourceName({ group, plural })} ${version} ${kind} ${scope}`

test('kinds: every built-in resource has a correct constant at every version', async () => {
  const { resources } = await new Discovery(client).catalog()
  assert.deepEqual(Object.values(kinds).map(full).sort(), resources.map(full).sort())
})

test('kinds: constants have the names of their kinds, except for clashes', () => {
  const odd = Object.entries(kinds).filter(([name, { kind }]) => name !== kind)
  assert.deepEqual(
    odd.map(([name, { kind, group, version }]) => `${name}: ${kind} ${group}/${version}`),
    ['CoreEvent: Event /v1', 'HorizontalPodAutoscalerV1: HorizontalPodAutoscaler autoscaling/v1'],
  )
})

test('kinds: the server accepts what the types allow', async () => {
  const strict = { dryRun: true, fieldValidation: 'Strict' } as const
  const namespace = 'default'
  const labels = { app: 'web' }
  const template: kinds.PodTemplateSpec = {
    metadata: { labels },
    spec: {
      restartPolicy: 'Always',
      tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }],
      volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '1Gi' } }],
      containers: [
        {
          name: 'web',
          image: 'example.com/web',
          imagePullPolicy: 'IfNotPresent',
          ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
          env: [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
          resources: { requests: { cpu: '250m', memory: '64Mi' } },
          readinessProbe: { httpGet: { path: '/ready', port: 'http', scheme: 'HTTP' }, periodSeconds: 5 },
          volumeMounts: [{ name: 'scratch', mountPath: '/tmp' }],
        },
      ],
    },
  }
  const workload = { selector: { matchLabels: labels }, template }
  const deployment = await client.create(
    kinds.Deployment,
    {
      metadata: { namespace, name: 'web' },
      spec: { ...workload, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } } },
    },
    strict,
  )
  assert.equal(deployment.spec.template.spec.containers[0]?.terminationMessagePolicy, 'File')
  assert.ok(labelSelectorFrom(deployment.spec.selector).matches(labels))
  const set = await client.create(
    kinds.StatefulSet,
    {
      metadata: { namespace, name: 'db' },
      spec: {
        ...workload,
        serviceName: 'db',
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    },
    strict,
  )
  assert.equal(set.spec.volumeClaimTemplates?.[0]?.spec?.volumeMode, 'Filesystem')
  await client.create(kinds.Namespace, { metadata: { name: 'no-spec-needed' } }, strict)
  await client.create(
    kinds.ClusterRole,
    { metadata: { name: 'aggregated' }, aggregationRule: { clusterRoleSelectors: [{ matchLabels: labels }] } },
    strict,
  )
  await client.create(kinds.Secret, { metadata: { namespace, name: 's' }, data: { key: 'dmFsdWU=' } }, strict)
  await client.create(
    kinds.Lease,
    { metadata: { namespace, name: 'l' }, spec: { holderIdentity: 'me', renewTime: '2026-01-31T12:00:00.000000Z' } },
    strict,
  )
})

test('kinds: reviews are typed', async () => {
  const review = await client.create(kinds.SelfSubjectAccessReview, {
    metadata: {},
    spec: { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } },
  })
  assert.equal(review.status?.allowed, true)
})
