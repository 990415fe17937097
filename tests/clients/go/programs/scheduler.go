package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func kubeScheduler() { os.Exit(cli.Run(app.NewSchedulerCommand())) }
