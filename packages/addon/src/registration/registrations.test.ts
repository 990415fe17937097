import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AddOnRegistration } from '@orrery/api'
import type { RegistrationConfig } from '../agent-addon.js'
import { mergeRegistrations } from './registrations.js'

const CLUSTER_GROUP = 'system:open-cluster-management:cluster:c1:addon:a'
const DEFAULT = {
  user: `${CLUSTER_GROUP}:agent:a`,
  groups: [CLUSTER_GROUP, 'system:open-cluster-management:addon:a'],
}
const ACCOUNT = 'system:serviceaccount:c1:a-agent'

const kubeClient = (value: NonNullable<AddOnRegistration['kubeClient']>): AddOnRegistration => ({
  type: 'kubeClient',
  kubeClient: value,
})
const plain: RegistrationConfig = { type: 'kubeClient' }
const named: RegistrationConfig = { type: 'kubeClient', user: 'u', groups: ['g'] }
const subject = { user: 'u', groups: ['g'] }

const table: readonly [
  title: string,
  configs: readonly RegistrationConfig[],
  current: readonly AddOnRegistration[] | undefined,
  merged: readonly AddOnRegistration[],
][] = [
  ['without a driver, the subject is as configured', [named], undefined, [kubeClient({ subject })]],
  ['without a driver, no subject stays none', [plain], [], [kubeClient({})]],
  [
    'csr: the subject is as configured',
    [named],
    [kubeClient({ driver: 'csr' })],
    [kubeClient({ driver: 'csr', subject })],
  ],
  [
    'csr: without a subject, it is the default identity',
    [plain],
    [kubeClient({ driver: 'csr' })],
    [kubeClient({ driver: 'csr', subject: DEFAULT })],
  ],
  [
    'csr: what the agent wrote is replaced',
    [plain],
    [kubeClient({ driver: 'csr', subject: { user: 'system:admin', groups: ['system:masters'] } })],
    [kubeClient({ driver: 'csr', subject: DEFAULT })],
  ],
  [
    'token: there is no subject before the agent writes it',
    [named],
    [kubeClient({ driver: 'token' })],
    [kubeClient({ driver: 'token' })],
  ],
  [
    'token: the service account of the add-on is kept',
    [named],
    [kubeClient({ driver: 'token', subject: { user: ACCOUNT } })],
    [kubeClient({ driver: 'token', subject: { user: ACCOUNT } })],
  ],
  [
    'token: groups are removed',
    [named],
    [kubeClient({ driver: 'token', subject: { user: ACCOUNT, groups: ['system:masters'] } })],
    [kubeClient({ driver: 'token', subject: { user: ACCOUNT } })],
  ],
  [
    'token: the account of another cluster is removed',
    [named],
    [kubeClient({ driver: 'token', subject: { user: 'system:serviceaccount:c2:a-agent' } })],
    [kubeClient({ driver: 'token' })],
  ],
  [
    'kubeClient registrations match by order, custom signers are as configured',
    [{ type: 'customSigner', signerName: 'example.com/s', user: 'u', organizationUnits: ['o'] }, plain, named],
    [kubeClient({ driver: 'csr' }), kubeClient({ driver: 'token', subject: { user: ACCOUNT } })],
    [
      {
        type: 'customSigner',
        customSigner: { signerName: 'example.com/s', subject: { user: 'u', organizationUnits: ['o'] } },
      },
      kubeClient({ driver: 'csr', subject: DEFAULT }),
      kubeClient({ driver: 'token', subject: { user: ACCOUNT } }),
    ],
  ],
  ['registrations that are no longer configured are removed', [], [kubeClient({ driver: 'csr' })], []],
]

for (const [title, configs, current, merged] of table) {
  test(`mergeRegistrations: ${title}`, () => {
    assert.deepEqual(mergeRegistrations(configs, current, 'c1', 'a'), merged)
    assert.deepEqual(mergeRegistrations(configs, merged, 'c1', 'a'), merged, 'a second merge changes nothing')
  })
}
