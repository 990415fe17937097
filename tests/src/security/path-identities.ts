import { ANONYMOUS, type Identity, SYSTEM_MASTER } from '@orrery/apiserver'
import { readJson } from '@orrery/kube/client'
import { type Issued, issue } from '../support/certificates.js'
import { Caller, type Shown } from './caller.js'
import { AGENT, type PathCluster } from './path-cluster.js'
import { OWN, PROBE } from './path-requests.js'

/** A user, with the credentials and the identity on the server. */
export interface Person {
  readonly label: string
  readonly shown: Shown
  readonly identity: Identity
}

/** Every kind of identity. The server names those with credentials. */
export async function identitiesOf(cluster: PathCluster): Promise<Person[]> {
  const account = `/api/v1/namespaces/${OWN}/serviceaccounts/${PROBE}/token`
  const body = JSON.stringify({ spec: {} })
  const headers = { 'content-type': 'application/json' }
  const response = await cluster.client.raw({ method: 'POST', path: account, headers, body })
  const issued = await readJson<{ status: { token: string } }>(response)
  const shown: [label: string, shown: Shown][] = [
    ...['view-of-own', 'edit-of-own', 'admin-of-own', 'viewer-of-all', 'owner', 'named', 'nobody'].map(
      (name): [string, Shown] => [name, { certificate: certificate(cluster, name) }],
    ),
    ['agent', { certificate: certificate(cluster, AGENT.user, AGENT.groups) }],
    ['service account', { token: issued.status.token }],
    ['bootstrap token', { token: cluster.bootstrapToken }],
    [
      'impersonated',
      { certificate: certificate(cluster, 'root', ['system:masters']), headers: { 'impersonate-user': 'owner' } },
    ],
  ]
  const known = shown.map(async ([label, one]) => ({ label, shown: one, identity: await whoIs(cluster, one) }))
  return [
    { label: 'anonymous', shown: {}, identity: ANONYMOUS },
    {
      label: 'administrator',
      shown: { certificate: certificate(cluster, 'root', ['system:masters']) },
      identity: SYSTEM_MASTER,
    },
    ...(await Promise.all(known)),
  ]
}

function certificate({ authority }: PathCluster, name: string, groups: readonly string[] = []): Issued {
  return issue(authority.issuer, { name, groups })
}

async function whoIs({ server }: PathCluster, shown: Shown): Promise<Identity> {
  const caller = new Caller(server.url, Buffer.from(server.certificateAuthority), shown)
  try {
    const { object } = await caller.send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {})
    const { userInfo } = object.status as { userInfo: Partial<Identity> & Pick<Identity, 'username'> }
    return { uid: '', groups: [], extra: {}, ...userInfo }
  } finally {
    caller.close()
  }
}
