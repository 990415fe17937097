export { type AgentInfo, agentInfo } from './agent-info.js'
export {
  deleteBootstrapKubeconfig,
  deleteHubCredentials,
  type HubMembership,
  readHubMembership,
} from './hub-membership.js'
