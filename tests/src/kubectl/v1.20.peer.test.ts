import { kubectlSuite } from './scenario.js'
import { scenarios } from './scenarios.js'

kubectlSuite(20, scenarios)
