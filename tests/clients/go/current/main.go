// Command current exercises an API server with today's Go clients and says what it saw, a JSON line a check.
package main

import (
	"fmt"
	"os"
	"sort"

	"github.com/go-logr/logr"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

var suites = map[string]func(*suite){
	"typed":        typedChecks,
	"kinds":        kindChecks,
	"apply":        applyChecks,
	"lists":        listChecks,
	"watches":      watchChecks,
	"informers":    informerChecks,
	"restart":      restartChecks,
	"leaders":      leaderChecks,
	"rivals":       rivalChecks,
	"discovery":    discoveryChecks,
	"access":       accessChecks,
	"certificates": certificateChecks,
	"events":       eventChecks,
	"extensions":   extensionChecks,
	"deletion":     deletionChecks,
	"objects":      objectChecks,
	"manager":      managerChecks,
	"webhooks":     webhookChecks,
}

func main() {
	klog.SetOutput(os.Stderr)
	ctrl.SetLogger(logr.Discard())
	if len(os.Args) != 2 || suites[os.Args[1]] == nil {
		names := make([]string, 0, len(suites))
		for name := range suites {
			names = append(names, name)
		}
		sort.Strings(names)
		fmt.Fprintf(os.Stderr, "usage: KUBECONFIG=file current <one of %v>\n", names)
		os.Exit(2)
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	config.QPS = -1
	s := newSuite(config, os.Args[1])
	suites[os.Args[1]](s)
	s.finish()
}
