import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { CertificateSigningRequest, KeyUsage } from '@orrery/kinds'
import { altNamesOf, createCsr, DistinguishedName, generateKey } from '@orrery/kube/pki'
import { agentSubject } from '../identity.js'
import { requestProblem } from './request-check.js'

const key = generateKey()
const subject = agentSubject('cluster1', 'hello')
const expected = { clusterName: 'cluster1', addonName: 'hello', subject }
const AGENT = 'system:open-cluster-management:cluster1:x7k2p'
const GRPC_SERVER = 'system:serviceaccount:open-cluster-management-hub:grpc-server-sa'
const OU = '2.5.4.11'

interface Asked {
  readonly username?: string
  readonly annotations?: Record<string, string>
  readonly commonName?: string
  readonly organizations?: readonly string[]
  readonly attributes?: readonly (readonly [string, readonly string[]])[]
  readonly hosts?: readonly string[]
  readonly usages?: readonly string[]
  readonly request?: string
}

function request(asked: Asked = {}): CertificateSigningRequest {
  const { username = AGENT, annotations = {}, commonName = subject.user, organizations = subject.groups } = asked
  const { hosts = ['hello.addon.open-cluster-management.io'], attributes = [] } = asked
  const { usages = ['digital signature', 'key encipherment', 'client auth'] } = asked
  const named = DistinguishedName.of(commonName, organizations)
  const name = new DistinguishedName(new Map([...named.attributes, ...attributes]))
  const pem = asked.request ?? createCsr({ ...key, subject: name, altNames: altNamesOf(hosts) })
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'addon-cluster1-hello-x', uid: 'u', resourceVersion: '1', creationTimestamp: '', annotations },
    spec: {
      request: Buffer.from(pem).toString('base64'),
      signerName: 'kubernetes.io/kube-apiserver-client',
      usages: usages as KeyUsage[],
      username,
    },
  }
}

const approved: Readonly<Record<string, Asked>> = {
  'the default identity': {},
  'without alternative names': { hosts: [] },
  'the deprecated third group': { organizations: [...subject.groups, 'system:authenticated'] },
  'a request over gRPC of the agent': {
    username: GRPC_SERVER,
    annotations: { 'open-cluster-management.io/csr-user': AGENT },
  },
}

const refused: Readonly<Record<string, readonly [Asked, RegExp]>> = {
  'another user': [{ username: 'system:admin' }, /not created by the agent of the cluster "cluster1"/],
  'the agent of a cluster whose name begins like this one': [
    { username: 'system:open-cluster-management:cluster10:x7k2p' },
    /not created by the agent/,
  ],
  'the annotation of gRPC by another user': [
    { username: 'mallory', annotations: { 'open-cluster-management.io/csr-user': AGENT } },
    /not created by the agent/,
  ],
  'gRPC for the agent of another cluster': [
    {
      username: GRPC_SERVER,
      annotations: { 'open-cluster-management.io/csr-user': 'system:open-cluster-management:cluster2:a' },
    },
    /not created by the agent/,
  ],
  'the identity of another cluster': [
    { commonName: agentSubject('cluster2', 'hello').user, organizations: agentSubject('cluster2', 'hello').groups },
    /common name is not/,
  ],
  'the identity of another add-on': [{ commonName: agentSubject('cluster1', 'other').user }, /common name is not/],
  'an additional group': [{ organizations: [...subject.groups, 'system:masters'] }, /organizations are not/],
  'a missing group': [{ organizations: subject.groups.slice(1) }, /organizations are not/],
  'another agent name': [{ commonName: agentSubject('cluster1', 'hello', 'x').user }, /common name is not/],
  'another attribute': [{ attributes: [['2.5.4.7', ['here']]] }, /attribute 2\.5\.4\.7/],
  'an organizational unit': [{ attributes: [[OU, ['unit']]] }, /organizational units are not/],
  'two common names': [{ attributes: [['2.5.4.3', ['system:admin', subject.user]]] }, /common name is not/],
  'another host': [{ hosts: ['kubernetes.default'] }, /alternative names/],
  'an address': [{ hosts: ['10.0.0.1'] }, /alternative names/],
  'a server usage': [{ usages: ['client auth', 'server auth'] }, /usage "server auth"/],
  'no client usage': [{ usages: ['digital signature'] }, /not for a client/],
  'no request': [{ request: 'x' }, /no valid certificate request/],
}

suite('requestProblem', () => {
  for (const [title, asked] of Object.entries(approved)) {
    test(`has none: ${title}`, () => assert.equal(requestProblem(request(asked), expected), undefined))
  }
  for (const [title, [asked, problem]] of Object.entries(refused)) {
    test(`refuses ${title}`, () => assert.match(requestProblem(request(asked), expected) ?? 'none', problem))
  }
  test('refuses the agent of an add-on of another cluster, also for a cluster with the name "cluster"', () => {
    const ofCluster = { ...expected, clusterName: 'cluster', subject: agentSubject('cluster', 'hello') }
    const { user, groups } = ofCluster.subject
    const asked = { commonName: user, organizations: groups, username: agentSubject('cluster2', 'hello').user }
    assert.match(
      requestProblem(request(asked), ofCluster) ?? 'none',
      /not created by the agent of the cluster "cluster"/,
    )
  })
  test('compares organizational units with the registration', () => {
    const units = { ...expected, subject: { user: 'u', groups: [], organizationUnits: ['a', 'b'] } }
    const asked = { commonName: 'u', organizations: [] }
    assert.equal(requestProblem(request({ ...asked, attributes: [[OU, ['b', 'a']]] }), units), undefined)
    assert.match(requestProblem(request({ ...asked, attributes: [[OU, ['a']]] }), units) ?? 'none', /units are not/)
  })
})
