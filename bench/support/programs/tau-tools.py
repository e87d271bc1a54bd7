"""Serves the tools of tau-bench's domains over HTTP, each task on data of its own.

Argument: the folder of sierra-research/tau-bench. Prints the port. The header x-task says whose data a call is about.
"""

import json
import re
import sys
import threading
import types
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from urllib.parse import parse_qsl, urlparse

ROOT = sys.argv[1]


def package(name, path):
    """Declares a package without its __init__, which imports clients of models."""
    module = types.ModuleType(name)
    module.__path__ = [path]
    sys.modules[name] = module


package("tau_bench", f"{ROOT}/tau_bench")
package("tau_bench.envs", f"{ROOT}/tau_bench/envs")
for domain in ("retail", "airline"):
    package(f"tau_bench.envs.{domain}", f"{ROOT}/tau_bench/envs/{domain}")


class Record:
    def __init__(self, **fields):
        self.__dict__.update(fields)


sys.modules["tau_bench.types"] = types.ModuleType("tau_bench.types")
sys.modules["tau_bench.types"].Action = Record
sys.modules["tau_bench.types"].Task = Record

READS = re.compile(r"^(find|get|list|search|calculate|think)")


def hashable(item):
    if isinstance(item, dict):
        return tuple((key, hashable(value)) for key, value in sorted(item.items()))
    if isinstance(item, (list, tuple)):
        return tuple(hashable(element) for element in item)
    if isinstance(item, set):
        return tuple(sorted(hashable(element) for element in item))
    return item


class Domain:
    def __init__(self, name):
        home = f"tau_bench.envs.{name}"
        self.load = import_module(f"{home}.data").load_data
        tools = import_module(f"{home}.tools").ALL_TOOLS
        self.tools = {tool.get_info()["function"]["name"]: tool for tool in tools}
        tasks = import_module(f"{home}.tasks_test")
        found = getattr(tasks, "TASKS_TEST", None) or tasks.TASKS
        self.tasks = [[{"name": one.name, "kwargs": one.kwargs} for one in task.actions] for task in found]
        self.data = {}
        self.journal = []
        self.lock = threading.Lock()

    def invoke(self, data, name, arguments):
        try:
            return self.tools[name].invoke(data=data, **arguments)
        except Exception as error:
            return f"Error: {error}"

    def call(self, task, name, arguments):
        with self.lock:
            data = self.data.setdefault(task, None) or self.load()
            self.data[task] = data
            result = self.invoke(data, name, arguments)
            is_read = READS.match(name) is not None
            self.journal.append({"task": task, "name": name, "arguments": arguments, "result": result[:200], "is_read": is_read})
            return result

    def is_gold(self, task, number):
        gold = self.load()
        for action in self.tasks[number]:
            if action["name"] in self.tools and action["name"] != "transfer_to_human_agents":
                self.invoke(gold, action["name"], action["kwargs"])
        digest = lambda data: sha256(str(hashable(data)).encode()).hexdigest()
        with self.lock:
            mine = self.data.pop(task, None) or self.load()
            return digest(mine) == digest(gold)

    def document(self, url):
        paths = {}
        for name, tool in self.tools.items():
            info = tool.get_info()["function"]
            schema = info["parameters"]
            operation = {"operationId": name, "description": info["description"], "responses": {"200": {"description": "The result"}}}
            if READS.match(name):
                required = schema.get("required", [])
                operation["parameters"] = [
                    {"name": key, "in": "query", "required": key in required, "schema": value}
                    for key, value in schema.get("properties", {}).items()
                ]
            else:
                operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
            paths[f"/{name}"] = {"get" if READS.match(name) else "post": operation}
        return {"openapi": "3.0.3", "info": {"title": "tau-bench", "version": "1"}, "servers": [{"url": url}], "paths": paths}


DOMAINS = {name: Domain(name) for name in ("retail", "airline")}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, body):
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self):
        url = urlparse(self.path)
        domain, name = url.path.strip("/").split("/")
        query = dict(parse_qsl(url.query, keep_blank_values=True))
        served = DOMAINS[domain]
        if name == "tasks":
            self.answer(served.tasks)
        elif name == "document":
            self.answer(served.document(f"http://127.0.0.1:{self.server.server_port}/{domain}"))
        elif name == "journal":
            self.answer(served.journal)
        elif name == "gold":
            self.answer(served.is_gold(query["task"], int(query["number"])))
        else:
            self.answer({"result": served.call(self.headers["x-task"], name, query)})

    def do_POST(self):
        domain, name = self.path.strip("/").split("/")
        body = self.rfile.read(int(self.headers["content-length"]))
        self.answer({"result": DOMAINS[domain].call(self.headers["x-task"], name, json.loads(body))})

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    def handle_error(self, request, address):
        """Callers are killed on purpose: a connection that breaks is no news."""


server = Server(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
