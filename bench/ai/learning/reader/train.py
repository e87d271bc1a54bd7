"""Trains the adapter of the reader on the help centers whose purpose is `reading`. CONTRIBUTING says how."""

import argparse
import json
import random
import time

import torch
from encoder import Reader
from safetensors.torch import load_file, save_file

RANK, FIRST_ADAPTED, WIDTH = 16, 4, 64
# The passages that a question is read beside in training, and when it is asked.
TRAINED_PASSAGES, ASKED_PASSAGES = 3, 3
FURTHER_SHARE = 0.3
QUESTIONS_A_STEP, STEPS_SORTED, WARM_UP_STEPS = 16, 16, 60
RATES = {"adapter": 3e-4, "head": 1e-3}
LEAST_RATE = 0.02
WEIGHT_DECAY = 0.01
# What each passage alone counts, beside which of them answers.
ALONE = 0.5
MAX_QUESTION, MAX_TOKENS = 96, 512
TEXTS_AT_ONCE = 32


def tokens_of(ids, question, passage):
    asked = [ids["begin"], *question["tokens"][:MAX_QUESTION], ids["end"]]
    return [*asked, *passage["tokens"][: MAX_TOKENS - len(asked) - 1], ids["end"]]


def answers(question, passage):
    return passage["slug"] in question["right"]


def most_alike(center, question, count):
    """Returns the passages of a center whose vectors are most like that of the question, and the others."""
    by_cosine = sorted(zip(question["cosines"], center["passages"]), key=lambda pair: -pair[0])
    passages = [passage for _, passage in by_cosine]
    return passages[:count], passages[count:]


def trained_passages(center, question, choose):
    passages, others = most_alike(center, question, TRAINED_PASSAGES)
    passages += [passage for passage in others if answers(question, passage)]
    further = [passage for passage in others if not answers(question, passage)]
    if further and choose.random() < FURTHER_SHARE:
        passages.append(choose.choice(further))
    return passages


def loss_of(odds, right):
    """The cross entropy of which passage answers, or none of them, and that of each passage alone."""
    choices = torch.cat([odds, torch.zeros(1)])
    is_right = torch.cat([right, (right.sum() == 0).float().view(1)])
    chosen = choices.masked_fill(is_right == 0, float("-inf"))
    alone = torch.nn.functional.binary_cross_entropy_with_logits(odds, right)
    return torch.logsumexp(choices, 0) - torch.logsumexp(chosen, 0) + ALONE * alone


def steps_of(centers, choose):
    """Yields the questions of a step: all of about one length, as texts are padded to the longest."""
    questions = [(center, question) for center in centers for question in center["questions"]]

    def length(pair):
        center, question = pair
        return len(question["tokens"]) + max(len(passage["tokens"]) for passage in center["passages"])

    size = QUESTIONS_A_STEP * STEPS_SORTED
    while True:
        choose.shuffle(questions)
        for start in range(0, len(questions), size):
            some = sorted(questions[start : start + size], key=length)
            steps = [some[at : at + QUESTIONS_A_STEP] for at in range(0, len(some), QUESTIONS_A_STEP)]
            choose.shuffle(steps)
            yield from steps


def train(reader, centers, given, choose):
    head = [*reader.dense.parameters(), *reader.out.parameters()]
    adapter = [parameter for layer in reader.layers for parameter in layer.parameters()]
    groups = [{"params": adapter, "rate": RATES["adapter"]}, {"params": head, "rate": RATES["head"]}]
    optimizer = torch.optim.AdamW(groups, weight_decay=WEIGHT_DECAY)
    total = given.passes * sum(len(center["questions"]) for center in centers) / QUESTIONS_A_STEP
    started = time.time()
    sums, noted = 0.0, 0
    for nth, step in enumerate(steps_of(centers, choose), 1):
        done = max(nth / total, (time.time() - started) / 60 / given.minutes)
        if done >= 1:
            return
        for group in optimizer.param_groups:
            group["lr"] = group["rate"] * max(LEAST_RATE, min(1, nth / WARM_UP_STEPS) * (1 - done))
        passages = [trained_passages(center, question, choose) for center, question in step]
        texts = [
            tokens_of(reader.ids, question, passage)
            for (_, question), some in zip(step, passages)
            for passage in some
        ]
        odds = reader(texts).float().split([len(some) for some in passages])
        losses = [
            loss_of(part, torch.tensor([float(answers(question, passage)) for passage in some]))
            for part, (_, question), some in zip(odds, step, passages)
        ]
        loss = torch.stack(losses).mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*adapter, *head], 1.0)
        optimizer.step()
        sums, noted = sums + loss.item(), noted + 1
        if noted == 20:
            print(f"step {nth} of {total:.0f}, {time.time() - started:.0f} s, loss {sums / noted:.4f}", flush=True)
            sums, noted = 0.0, 0
            save_file(reader.adapter(), given.adapter)


@torch.no_grad()
def report(reader, centers, name):
    """Prints how many questions are answered right where some of those without an answer get one."""
    asked = [
        (question, passage)
        for center in centers
        for question in center["questions"]
        for passage in most_alike(center, question, ASKED_PASSAGES)[0]
    ]
    texts = [tokens_of(reader.ids, question, passage) for question, passage in asked]
    order = sorted(range(len(texts)), key=lambda nth: len(texts[nth]))
    odds = [0.0] * len(texts)
    for start in range(0, len(order), TEXTS_AT_ONCE):
        some = order[start : start + TEXTS_AT_ONCE]
        for nth, value in zip(some, reader([texts[nth] for nth in some]).tolist()):
            odds[nth] = value
    best = {}
    for (question, passage), value in zip(asked, odds):
        if id(question) not in best or value > best[id(question)][0]:
            best[id(question)] = (value, answers(question, passage), question)
    for kind in [False, True]:
        of_kind = [one for one in best.values() if one[2]["hard"] is kind]
        answerable = [one for one in of_kind if one[2]["right"]]
        others = sorted((value for value, _, question in of_kind if not question["right"]), reverse=True)
        for share in [0.03, 0.05, 0.1]:
            if not others or not answerable:
                continue
            answered = [one for one in answerable if one[0] > others[int(share * len(others))]]
            right = sum(is_right for _, is_right, _ in answered) / len(answerable)
            print(f"{name}, {'hard' if kind else 'plain'}, {share:.0%} of the others answered: right {right:.3f}")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--model", required=True, help="the packed model, e5-small-q4.bin")
    arguments.add_argument("--tokens", required=True, help="what tokens.ts has written")
    arguments.add_argument("--adapter", required=True, help="the file to write")
    arguments.add_argument("--start", help="an adapter to go on from")
    arguments.add_argument("--minutes", type=float, default=120)
    arguments.add_argument("--passes", type=float, default=2)
    given = arguments.parse_args()
    torch.manual_seed(1)
    with open(given.tokens, encoding="utf-8") as file:
        centers = [json.loads(line) for line in file]
    reader = Reader(given.model, RANK, FIRST_ADAPTED, WIDTH)
    if given.start:
        reader.adapt(load_file(given.start))
    reading, learning, tuning = (
        [center for center in centers if center["purpose"] == purpose] for purpose in ["reading", "learning", "tuning"]
    )
    train(reader, reading, given, random.Random(1))
    save_file(reader.adapter(), given.adapter)
    report(reader, learning, "learning")
    report(reader, tuning, "tuning")


main()
