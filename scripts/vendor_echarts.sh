#!/usr/bin/env bash
# Makes src/report/html/vendor/echarts anew: the parts of Apache ECharts that the report page uses, as one
# script, and its licences. Needs npm and network; a build needs neither. The same versions give the same
# bytes. After a change: look at the page, in light, dark and print.
set -euo pipefail
echarts=6.1.0
esbuild=0.25.10

folder=$(cd "$(dirname "$0")/.." && pwd)/src/report/html/vendor/echarts
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$folder/modules.js" "$work/"
cd "$work"
echo '{"private": true}' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts "echarts@$echarts" "esbuild@$esbuild"
modules=$work/node_modules

banner="/* Apache ECharts $echarts (https://echarts.apache.org), Apache License 2.0, Copyright 2017-2025 The Apache
Software Foundation; with zrender, BSD 3-Clause, Copyright 2017 Baidu Inc., and tslib, 0BSD. The parts that
modules.js names, minified by esbuild $esbuild; made by scripts/vendor_echarts.sh. */"
node "$modules/esbuild/bin/esbuild" modules.js --bundle --minify --format=iife --global-name=echarts \
  --target=es2020 --legal-comments=none --banner:js="$banner" --log-level=warning --outfile="$folder/echarts.js"
cp "$modules/echarts/LICENSE" "$modules/echarts/NOTICE" "$folder/"
cp "$modules/zrender/LICENSE" "$folder/LICENSE-zrender"
