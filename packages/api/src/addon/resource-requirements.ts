import { type Read, t } from '../schema/index.js'

const claim = t.object(
  {
    name: t.string({ description: 'Name is the name of a resource claim of the pod.' }),
    request: t.optional(
      t.string({ description: 'Request is the name of a request of the claim. If unset, all requests are used.' }),
    ),
  },
  { description: 'ResourceClaim refers to a resource claim of the pod.' },
)

const amounts = t.map(t.quantity())

const resources = t.object(
  {
    limits: t.optional(t.described(amounts, 'Limits are the maximum compute resources of the container.')),
    requests: t.optional(t.described(amounts, 'Requests are the minimum compute resources of the container.')),
    claims: t.optional(
      t.array(claim, {
        description: 'Claims lists the resource claims that the container uses.',
        listType: 'map',
        listMapKeys: ['name'],
      }),
    ),
  },
  { description: 'Resources are the compute resources of the containers.' },
)

const containerResources = t.object(
  {
    containerID: t.string({
      description:
        'ContainerID selects containers as `resource:name:container`, for example `deployments:agent:manager`. An ' +
        'asterisk matches any text.',
      pattern: '^(deployments|daemonsets|statefulsets|replicasets|jobs|cronjobs|pods|\\*):.+:.+$',
    }),
    resources,
  },
  { description: 'ContainerResourceRequirements sets the compute resources of containers.' },
)

/** The schema of the compute resources of the containers of an agent. */
export const resourceRequirements = t.array(containerResources, {
  description: 'ResourceRequirements lists the compute resources of containers. The last match applies.',
  listType: 'map',
  listMapKeys: ['containerID'],
})

/** The compute resources of containers of an agent. */
export interface ContainerResources extends Read<typeof containerResources> {}
