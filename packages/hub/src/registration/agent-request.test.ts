import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CLUSTER_NAME_LABEL, KUBE_CLIENT_SIGNER } from '@orrery/api'
import type { CertificateSigningRequest, KeyUsage } from '@orrery/kinds'
import { type AltNames, createCsr, DistinguishedName, generateKey, NO_ALT_NAMES } from '@orrery/kube/pki'
import { readAgentRequest } from './agent-request.js'

const key = generateKey()
const OID_COMMON_NAME = '2.5.4.3'
const OID_ORGANIZATION = '2.5.4.10'
const GROUP = 'system:open-cluster-management:c1'
const ALL_AGENTS = 'system:open-cluster-management:managed-clusters'

function pemFor(commonNames: readonly string[], organizations: readonly string[]): string {
  const subject = new DistinguishedName(
    new Map([
      [OID_ORGANIZATION, organizations],
      [OID_COMMON_NAME, commonNames],
    ]),
  )
  return createCsr({ ...key, subject })
}

/** One that asks for more than the names of an agent. */
function pemWith(extra: {
  readonly altNames?: AltNames
  readonly attributes?: readonly [string, readonly string[]][]
}) {
  const subject = new DistinguishedName(
    new Map([[OID_ORGANIZATION, [GROUP]], [OID_COMMON_NAME, [`${GROUP}:a1`]], ...(extra.attributes ?? [])]),
  )
  return createCsr({ ...key, subject, ...(extra.altNames && { altNames: extra.altNames }) })
}

const USAGES: KeyUsage[] = ['digital signature', 'key encipherment', 'client auth']

function requestWith(
  pem: string,
  signerName = KUBE_CLIENT_SIGNER,
  cluster: string | undefined = 'c1',
  usages: KeyUsage[] = USAGES,
) {
  const request: CertificateSigningRequest = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: {
      name: 'csr',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: '2030-01-01T00:00:00Z',
      labels: { [CLUSTER_NAME_LABEL]: cluster },
    },
    spec: { request: Buffer.from(pem).toString('base64'), signerName, usages },
  }
  return request
}

const AGENT_PEM = pemFor([`${GROUP}:a1`], [GROUP])
const ALT_NAMES = { dns: 'hub.example.com', ips: '10.0.0.1', emails: 'a@example.com', uris: 'spiffe://example.com/a' }

suite('readAgentRequest', () => {
  test('finds the agent of the cluster in the label', async () => {
    const agent = { cluster: 'c1', agent: 'a1', user: `${GROUP}:a1` }
    for (const groups of [[GROUP, ALL_AGENTS], [GROUP], [GROUP, GROUP]]) {
      assert.deepEqual(await readAgentRequest(requestWith(pemFor([`${GROUP}:a1`], groups))), { agent })
    }
  })

  const strange: readonly (readonly [why: RegExp, request: CertificateSigningRequest])[] = [
    [/one common name/, requestWith(pemFor([`${GROUP}:a1`, 'system:open-cluster-management:c2:a1'], [GROUP]))],
    [/one common name/, requestWith(pemFor([], [GROUP]))],
    [/common name does not match/, requestWith(pemFor([`${GROUP}:`], [GROUP]))],
    [/common name does not match/, requestWith(pemFor([`${GROUP}:a:b`], [GROUP]))],
    [/common name does not match/, requestWith(pemFor([`${GROUP}:a,b`], [GROUP]))],
    [/common name does not match/, requestWith(pemFor(['system:open-cluster-management:c1x:a1'], [GROUP]))],
    [/organizations/, requestWith(pemFor([`${GROUP}:a1`], []))],
    [/organizations/, requestWith(pemFor([`${GROUP}:a1`], [ALL_AGENTS]))],
    [/organizations/, requestWith(pemFor([`${GROUP}:a1`], [GROUP, 'others']))],
    [/signer/, requestWith(pemFor([`${GROUP}:a1`], [GROUP]), 'kubernetes.io/kubelet-serving')],
    [/no cluster name label/, requestWith(pemFor([`${GROUP}:a1`], [GROUP]), KUBE_CLIENT_SIGNER, '')],
    [/share/, requestWith(pemFor(['system:open-cluster-management:work:a1'], [GROUP]), KUBE_CLIENT_SIGNER, 'work')],
    ...(['dns', 'ips', 'emails', 'uris'] as const).map((kind): [RegExp, CertificateSigningRequest] => [
      /extension 2\.5\.29\.17/,
      requestWith(pemWith({ altNames: { ...NO_ALT_NAMES, [kind]: [ALT_NAMES[kind]] } })),
    ]),
    // Country, locality, province, street, unit, postal code, serial number.
    ...['2.5.4.6', '2.5.4.7', '2.5.4.8', '2.5.4.9', '2.5.4.11', '2.5.4.17', '2.5.4.5'].map(
      (type): [RegExp, CertificateSigningRequest] => [
        new RegExp(`attribute ${type.replaceAll('.', '\\.')}`),
        requestWith(pemWith({ attributes: [[type, ['x']]] })),
      ],
    ),
    [/usage "server auth"/, requestWith(AGENT_PEM, KUBE_CLIENT_SIGNER, 'c1', [...USAGES, 'server auth'])],
    [/usage "cert sign"/, requestWith(AGENT_PEM, KUBE_CLIENT_SIGNER, 'c1', ['client auth', 'cert sign'])],
    [/not for a client/, requestWith(AGENT_PEM, KUBE_CLIENT_SIGNER, 'c1', ['digital signature'])],
    [/no valid/, requestWith('nonsense')],
    [/no valid/, requestWith('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')],
  ]

  test('finds no agent in a request for anything else', async () => {
    for (const [why, request] of strange) {
      const reading = await readAgentRequest(request)
      assert.match('problem' in reading ? reading.problem : 'no problem', why)
    }
  })
})
