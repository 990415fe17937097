import { type Read, t } from '../schema/index.js'

const claim = t.object(
  {
    name: t.string({ description: 'The name of the claim in the spec of the pod.' }),
    request: t.optional(t.string({ description: 'One request of the claim. Left out, all of it.' })),
  },
  { description: 'A claim of the pod that the container uses.' },
)

const amounts = t.map(t.quantity())

const resources = t.object(
  {
    limits: t.optional(t.described(amounts, 'The most that the container gets.')),
    requests: t.optional(t.described(amounts, 'The least that the container gets.')),
    claims: t.optional(
      t.array(claim, {
        description: 'Claims of the pod that the container uses.',
        listType: 'map',
        listMapKeys: ['name'],
      }),
    ),
  },
  { description: 'What the containers get.' },
)

const containerResources = t.object(
  {
    containerID: t.string({
      description:
        'Which containers: a resource, the name of an object and the name of a container, with colons between. An ' +
        'asterisk stands for anything.',
      pattern: '^(deployments|daemonsets|statefulsets|replicasets|jobs|cronjobs|pods|\\*):.+:.+$',
    }),
    resources,
  },
  { description: 'What some containers get.' },
)

/** The schema of what the containers of an agent get. */
export const resourceRequirements = t.array(containerResources, {
  description: 'What the containers get. The last one that fits counts.',
  listType: 'map',
  listMapKeys: ['containerID'],
})

/** What some containers of an agent get. */
export interface ContainerResources extends Read<typeof containerResources> {}
