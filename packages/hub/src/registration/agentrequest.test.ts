import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CLUSTER_NAME_LABEL, KUBE_CLIENT_SIGNER } from '@orrery/api'
import type { CertificateSigningRequest } from '@orrery/kube/kinds'
import { createCsr, DistinguishedName, generateKey } from '@orrery/kube/pki'
import { readAgentRequest } from './agentrequest.js'

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

function requestWith(pem: string, signerName = KUBE_CLIENT_SIGNER, cluster: string | undefined = 'c1') {
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
    spec: { request: Buffer.from(pem).toString('base64'), signerName },
  }
  return request
}

suite('a request for a certificate', () => {
  test('is for the agent of the cluster in its label', async () => {
    const agent = { cluster: 'c1', agent: 'a1', user: `${GROUP}:a1` }
    for (const groups of [[GROUP, ALL_AGENTS], [GROUP], [GROUP, GROUP]]) {
      assert.deepEqual(await readAgentRequest(requestWith(pemFor([`${GROUP}:a1`], groups))), { agent })
    }
  })

  const strange: readonly (readonly [why: RegExp, request: CertificateSigningRequest])[] = [
    [/one common name/, requestWith(pemFor([`${GROUP}:a1`, 'system:open-cluster-management:c2:a1'], [GROUP]))],
    [/one common name/, requestWith(pemFor([], [GROUP]))],
    [/common name is not/, requestWith(pemFor([`${GROUP}:`], [GROUP]))],
    [/common name is not/, requestWith(pemFor([`${GROUP}:a:b`], [GROUP]))],
    [/common name is not/, requestWith(pemFor(['system:open-cluster-management:c1x:a1'], [GROUP]))],
    [/organizations/, requestWith(pemFor([`${GROUP}:a1`], []))],
    [/organizations/, requestWith(pemFor([`${GROUP}:a1`], [ALL_AGENTS]))],
    [/organizations/, requestWith(pemFor([`${GROUP}:a1`], [GROUP, 'others']))],
    [/signer/, requestWith(pemFor([`${GROUP}:a1`], [GROUP]), 'kubernetes.io/kubelet-serving')],
    [/no label/, requestWith(pemFor([`${GROUP}:a1`], [GROUP]), KUBE_CLIENT_SIGNER, '')],
    [/share/, requestWith(pemFor(['system:open-cluster-management:work:a1'], [GROUP]), KUBE_CLIENT_SIGNER, 'work')],
    [/no valid/, requestWith('nonsense')],
    [/no valid/, requestWith('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')],
  ]

  test('is for nobody when it asks for anything else', async () => {
    for (const [why, request] of strange) {
      const reading = await readAgentRequest(request)
      assert.match('problem' in reading ? reading.problem : 'no problem', why)
    }
  })
})
