// Command programs is software that people run on clusters, in one file because the programs share most of their code:
// Helm, kube-scheduler and the controllers of cert-manager. Each starts as its own command does.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

var programs = map[string]func(){
	"helm":           helm,
	"kube-scheduler": kubeScheduler,
	"cert-manager":   certManager,
}

func main() {
	name := ""
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	run, known := programs[name]
	if !known {
		fmt.Fprintf(os.Stderr, "usage: %s helm|kube-scheduler|cert-manager [argument …]\n", filepath.Base(os.Args[0]))
		os.Exit(2)
	}
	os.Args = os.Args[1:]
	run()
}
